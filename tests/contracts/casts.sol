// expect: safe
contract C { function f(uint a, int b) public pure { uint8 c = uint8(a); assert(c < 256); require(b == -1); assert(uint(b) == type(uint).max); assert(uint8(uint256(0x1ff)) == 0xff); assert(int8(uint8(255)) == -1); assert(uint16(bytes2(0x0102)) == 258); } }
