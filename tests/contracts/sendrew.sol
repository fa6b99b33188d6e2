// expect: unsafe
pragma solidity ^0.5.0;
contract Reent { mapping(address => uint) bal; uint total; function dep() public payable { bal[msg.sender] += msg.value; total += msg.value; } function wd() public { uint a = bal[msg.sender]; (bool s, ) = msg.sender.call.value(a)(""); require(s); total -= a; bal[msg.sender] = 0; assert(total + a >= a); } function inv() public view { assert(address(this).balance >= total); } }
