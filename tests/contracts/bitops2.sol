// expect: safe
contract C { function f() public pure { uint8 a = 0xf0; uint8 b = 0x3c; assert(a & b == 0x30); assert(a | b == 0xfc); assert(a ^ b == 0xcc); int8 c = -1; assert(c & 0x0f == 0x0f); assert(~int8(0) == -1); } }
