// expect: safe
pragma solidity ^0.8.0;
contract C { struct S { uint a; uint[] b; } S s; function f() public { s.b.push(4); S memory m = s; assert(m.b.length == s.b.length); assert(m.a == s.a); } }
