// expect: unsafe
pragma solidity ^0.8.0;
contract D { } interface I { function set(D d) external; } contract C { address public a; function set(address x) public { a = x; } } contract T { C c = new C(); function go() public { I(address(c)).set(D(address(5))); assert(c.a() != address(5)); } }
