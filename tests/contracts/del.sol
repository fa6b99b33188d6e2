// expect: safe
contract C { uint[] a; struct S { uint x; mapping(uint => uint) m; } S s; function f() public { s.x = 1; s.m[0] = 5; delete s.x; assert(s.x == 0 && s.m[0] == 5); delete a; assert(a.length == 0); } }
