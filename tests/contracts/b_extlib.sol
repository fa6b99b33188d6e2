// expect: safe
pragma solidity >=0.8.0;
library L { function f(uint a) public pure returns (uint) { return a / 2; } function g(uint[] storage a) external { a.push(3); } }
contract C { uint[] a; function t(uint x) public { assert(L.f(x) <= x); uint l = a.length; L.g(a); assert(a.length == l + 1 && a[l] == 3); } }
