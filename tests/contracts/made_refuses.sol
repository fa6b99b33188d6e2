// expect: safe
pragma solidity ^0.8.0;
contract D { uint public n; } contract C { D d = new D(); constructor() payable {} function f() public { payable(address(d)).transfer(1); assert(false); } }
