// expect: unsafe
pragma solidity ^0.8.0;
interface I { function g(uint k) external; } contract D { uint public n; function g(uint k) external { n += k; } } contract C { function f() public { D d = new D(); I(address(d)).g(4); assert(d.n() == 0); } }
