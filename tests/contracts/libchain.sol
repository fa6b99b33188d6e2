// expect: safe
pragma solidity ^0.8.0;
library L { struct D { mapping(uint => uint) m; uint n; } function add(D storage d, uint v) internal returns (uint) { d.m[d.n] = v; return inc(d); } function inc(D storage d) internal returns (uint) { d.n += 1; return d.n; } } contract C { using L for L.D; L.D d; function f() public { uint n = d.add(7); assert(d.m[n - 1] == 7); } }
