// expect: safe
contract C { function f(uint8 x) public pure { assert((x & 0x0f) + (x & 0xf0) == x); assert((x | 1) >= x); assert((x ^ x) == 0); assert(~x == 255 - x); } }
