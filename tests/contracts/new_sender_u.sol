// expect: unsafe
pragma solidity ^0.8.0;
contract D { address public w; constructor(address w_) { w = w_; } } contract C { function f() public { D d = new D(msg.sender); assert(d.w() == address(this)); } }
