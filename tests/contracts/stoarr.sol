// expect: safe
pragma solidity ^0.8.0;
contract C { struct S { uint a; } S[] s; function f() public { s.push(S(4)); S[] memory m = s; assert(m.length == s.length); assert(m[m.length - 1].a == 4); } }
