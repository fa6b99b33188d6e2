// expect: safe
pragma solidity ^0.8.0;
contract D { uint public a; address public w; address public c; constructor(uint a_, address w_) { a = a_; w = w_; c = msg.sender; } } contract C { uint x; function n() internal returns (uint) { x = 3; return x; } function f() public { x = 0; D d = new D(n(), msg.sender); assert(d.a() == 3 && x == 3); assert(d.w() == msg.sender && d.c() == address(this)); } }
