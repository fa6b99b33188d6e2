// expect: safe
contract C { struct S { uint a; uint b; } S s; S t; function f(uint x) public { s.a = x; s.b = 2; t = s; s.a = x / 2; assert(t.a == x && t.b == 2); S memory m = s; m.a = 77; assert(s.a == x / 2); } }
