// expect: safe
pragma solidity >=0.8.0;
contract C { function f(uint a) public pure { uint b; if (a > 7) { if (a > 10) { b = 2; } else b = 1; } else { b = 0; } assert(b != 2 || a > 10); assert(b == 0 || a > 7); } function g(bool x, bool y) public pure returns (uint r) { if (x) { return 1; } if (y) { r = 2; } else { r = 3; return r; } assert(!x && y && r == 2); } }
