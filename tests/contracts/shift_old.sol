// expect: safe
pragma solidity ^0.4.24;
contract C { function f(int8 a, uint8 b) public pure { if (a == -3) { assert(a >> 1 == -1); assert(a >> 9 == 0); if (b == 2) assert(a >> b == 0); if (b > 8) assert(a >> b == 0); a >>= 1; assert(a == -1); } assert(-5 >> 1 == -2); } }
