// expect: safe
contract C { function f(uint8 x) public pure { assert(x >> 4 < 16); assert((uint16(x) << 8) >> 8 == x); int8 a = -5; assert(a >> 1 == -3); } }
