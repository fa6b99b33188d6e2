// expect: safe
pragma solidity ^0.8.0;
contract C { struct S { uint v; } S a; S b; function f(bool c) public { S storage p = a; if (c) p = b; p.v = 7; assert(c ? b.v == 7 : a.v == 7); } }
