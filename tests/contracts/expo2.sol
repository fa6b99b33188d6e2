// expect: safe
contract C { function f(uint a) public pure { require(a < 10); assert(a ** 2 == a * a); assert(a ** 0 == 1); assert(2 ** 8 == 256); } }
