// expect: safe
pragma solidity ^0.4.18;
contract C { uint x; mapping(address => uint) m; function C() public { x = 1 years; } function f(uint a) public { var y = a; if (y != a) throw; bytes32 h = sha3(a, y); assert(h == keccak256(a, y)); assert(m[msg.sender] >= 0); } function () public payable {} }
