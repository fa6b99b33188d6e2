// expect: safe
contract C { struct S { uint a; uint[] b; } S s; S t; function f(uint x) public { s.a = x; s.b.push(x); t = s; s.a = x; s.b[s.b.length-1] = 0; assert(t.a == x); assert(t.b[t.b.length - 1] == x); } }
