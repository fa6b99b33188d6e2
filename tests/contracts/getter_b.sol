// expect: safe
contract D { mapping(uint => uint[]) public m; struct S { uint a; string b; uint[] c; } S public s; constructor() { m[3].push(8); s.a = 4; } } contract C { D d = new D(); function f() public view { assert(d.m(3, 0) == 8); (uint a, ) = d.s(); assert(a == 4); } }
