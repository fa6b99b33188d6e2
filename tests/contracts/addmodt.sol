// expect: safe
contract C { function f(uint a, uint b) public pure { assert(addmod(a, b, 10) < 10); assert(mulmod(5, 7, 10) == 5); assert(addmod(type(uint).max, 1, 2) == 0); } }
