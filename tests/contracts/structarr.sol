// expect: unsafe
contract C { struct S { uint a; bool b; } S[] s; function p(uint x) public { s.push(S(x, true)); } function f() public view { require(s.length > 1); assert(s[0].a == s[1].a); } }
