// expect: safe
contract C { uint x; function i() internal returns (bool) { x++; return true; } function f(bool c) public { x = 0; if (c && i()) {} assert(x == (c ? 1 : 0)); if (c || i()) {} assert(x == 1); } }
