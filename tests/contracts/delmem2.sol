// expect: safe
pragma solidity ^0.8.0;
contract C { struct S { uint a; uint[] b; } function f() public pure { S memory s; s.a = 3; delete s; assert(s.a == 0); uint[] memory q = new uint[](2); delete q; assert(q.length == 0); } }
