// expect: safe
contract C { struct S { uint a; } S x; S y; function f(bool c) public { S storage s = x; if (c) s = y; s.a = 1; assert(c ? y.a == 1 : x.a == 1); } }
