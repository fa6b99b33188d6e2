// expect: safe
contract C { function f(uint8 a, uint8 b) public pure { assert((a & b) <= a); assert((a | b) >= a); assert((a ^ a) == 0); assert((a & 0x0f) < 16); assert(~~a == a); } }
