// expect: safe
contract C { function f() public pure { uint x = 1; { uint y = 2; x += y; } for (uint i = 0; i < 2; ++i) { uint x2 = i; x += x2; } assert(x == 4); } }
