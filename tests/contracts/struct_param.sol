// expect: unsafe
contract C { struct S { uint a; uint[] b; } function f(S memory s) public pure { require(s.b.length == 1); assert(s.a != s.b[0]); } }
