// expect: unsafe
pragma solidity ^0.8.0;
contract C { struct S { uint v; mapping(uint => uint) m; } S s; function f() public { S storage p = s; s.m[1] = 9; delete s; p.v = 2; assert(s.m[1] == 0 || s.v != 2); } }
