// expect: safe
contract C { function f(uint8 a, int16 b) public pure { assert(type(uint8).max == 255 && a <= type(uint8).max); assert(b >= type(int16).min); assert(type(uint).max == 2**256 - 1); assert(type(int).min == -2**255); } }
