// expect: unsafe
contract C { function f(uint8 a) public pure { require(a & 0x11 == 0x11); assert(a & 0x80 == 0); } }
