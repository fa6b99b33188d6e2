// expect: safe
pragma solidity ^0.8.0;
interface I { function h() external; } contract D { uint public n; } contract C { function f() public { D d = new D(); I(address(d)).h(); assert(false); } }
