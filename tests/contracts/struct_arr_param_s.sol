// expect: safe
contract C { struct S { uint a; bool b; } function f(S[] memory s) public pure { require(s.length > 0); s[0].a = 3; assert(s[0].a == 3); } }
