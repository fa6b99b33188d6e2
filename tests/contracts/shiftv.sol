// expect: safe
contract C { function f(uint x) public pure { require(x == 3); assert(uint(1) << x == 8); assert(2 ** x == 8); } }
