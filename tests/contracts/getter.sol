// expect: safe
contract C { mapping(uint => uint) public m; uint public x = 3; uint[] public a; struct S { uint p; bool q; } S public s; function f(uint k) public view { assert(this.x() == x); assert(this.m(k) == m[k]); (uint p, bool q) = this.s(); assert(p == s.p && q == s.q); } }
