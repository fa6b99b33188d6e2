// expect: safe
pragma solidity ^0.8.0;
interface I { function set(uint a, uint b) external; } contract C { uint public a; function set(uint x) public { a = x; } } contract T { C c = new C(); function go() public { I(address(c)).set(5, 6); assert(c.a() == 0); } }
