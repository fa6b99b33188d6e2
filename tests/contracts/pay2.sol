// expect: safe
pragma solidity ^0.8.0;
contract C { mapping(address => uint) b; uint total; function d() public payable { b[msg.sender] += msg.value; total += msg.value; } function w(uint a) public { require(b[msg.sender] >= a); b[msg.sender] -= a; total -= a; payable(msg.sender).transfer(a); assert(address(this).balance >= 0); } }
