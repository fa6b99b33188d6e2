// expect: safe
contract C { function f(uint x) public pure { uint8 a = uint8(x); assert(a == x % 256); int8 b = int8(a); assert(a < 128 ? int(b) == int(uint(a)) : b < 0); assert(uint160(address(uint160(x))) == uint160(x)); } }
