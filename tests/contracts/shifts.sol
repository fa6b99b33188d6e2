// expect: safe
contract C { function f(uint8 s) public pure { require(s < 8); uint a = 1; uint b = a << s; assert(b >= 1); assert((256 >> s) > 1); int8 c = -8; assert(c >> 1 == -4); assert(uint8(0xff) << 4 == 0xf0); } }
