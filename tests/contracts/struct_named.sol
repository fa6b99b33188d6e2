// expect: safe
contract C { struct S { uint a; bool b; } function f() public pure { S memory s = S({b: true, a: 4}); assert(s.a == 4 && s.b); } }
