// expect: unsafe
pragma solidity ^0.8.0;
contract C { struct S { uint v; } S a; S b; function f() public { a.v = 1; b.v = 2; (a, b) = (b, a); assert(a.v == 2); } }
