// expect: unsafe
pragma solidity ^0.8.0;
interface I { function h() external; } contract D { uint public n; function g() external { n++; } } contract C { D d = new D(); function f(I i) public { uint k = d.n(); i.h(); assert(d.n() == k); } }
