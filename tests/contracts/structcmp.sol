// expect: safe
pragma solidity ^0.8.0;
contract C { struct S { uint8 a; uint16 b; } S s; S[] l; function f(uint8 a) public { s = S({b: 2, a: a}); l.push(s); S storage p = l[l.length - 1]; p.a = 0; assert(s.a == a); assert(p.b == 2); S memory m = p; m.b = 9; assert(p.b == 2); } }
