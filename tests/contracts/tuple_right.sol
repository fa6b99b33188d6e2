// expect: safe
pragma solidity ^0.8.0;
contract C { struct S { uint v; } S a; S b; uint x; function f() public { (x, x) = (2, 3); assert(x == 2); a.v = 1; b.v = 2; (a, b) = (b, a); assert(a.v == 1 && b.v == 1); } }
