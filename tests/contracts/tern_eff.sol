// expect: safe
contract C { uint x; function i() internal returns (uint) { x++; return x; } function f(bool c) public { x = 0; uint y = c ? i() : 5; assert(c ? (y == 1 && x == 1) : (y == 5 && x == 0)); } }
