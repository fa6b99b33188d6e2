// expect: safe
contract C { struct S { uint a; uint[] l; mapping(uint => uint) m; } S s; function f() public { s.a = 1; s.l.push(2); s.m[1] = 5; delete s; assert(s.a == 0 && s.l.length == 0 && s.m[1] == 5); } }
