// expect: unsafe
contract C { function f(uint a, uint8 b) public pure { require(a < 10 && b < 4); assert(a ** b < 500); } }
