// expect: safe
pragma solidity >=0.8.0;
contract C { struct S { uint a; bool b; uint[] c; } mapping(uint => S) public m; uint[] public a; uint public constant K = 3; S public s;
 function f() public { m[1].a = 2; m[1].b = true; (uint x, bool y) = this.m(1); assert(x == 2 && y); a.push(6); assert(this.a(a.length - 1) == 6); assert(this.K() == 3); s.a = 5; (uint q, ) = this.s(); assert(q == 5); } }
