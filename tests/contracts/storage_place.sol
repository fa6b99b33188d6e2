// expect: safe
pragma solidity ^0.8.0;
contract C { struct S { uint v; uint[] l; mapping(uint => uint) m; } S s; struct T { uint v; } T a; T b; function f() public { S storage p = s; s.l.push(4); s.m[1] = 9; delete s; assert(p.l.length == 0 && p.m[1] == 9); p.v = 5; assert(s.v == 5); T storage q = a; b.v = 3; a = b; assert(q.v == 3); q.v = 4; assert(a.v == 4 && b.v == 3); } }
