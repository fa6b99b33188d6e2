// expect: safe
pragma solidity ^0.8.0;
contract C { struct S { uint a; uint[] b; string n; } function f(S calldata s) external pure { require(s.b.length > 1); assert(s.b[1] == s.b[1]); S memory m = s; assert(m.a == s.a); assert(m.b.length == s.b.length); } }
