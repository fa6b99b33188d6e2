// expect: safe
error Bad(); contract C { uint x; function f(uint a) public { require(a < 4, "no"); x = a; } function g() public view { assert(x < 4); } }
