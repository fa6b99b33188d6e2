// expect: safe
contract C { struct S { uint a; uint[] b; } function f() public pure { S memory s; s.a = 2; S memory t = s; t.a = 3; assert(s.a == 3); assert(s.b.length == 0); } }
