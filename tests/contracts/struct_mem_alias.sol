// expect: safe
contract C { struct S { uint a; } function f() public pure { S memory s = S(1); S memory t = s; t.a = 2; assert(s.a == 2); } }
