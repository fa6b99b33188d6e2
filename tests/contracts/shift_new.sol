// expect: safe in bv
pragma solidity >=0.5.0;
contract C { function f(int8 a) public pure { if (a == -3) { assert(a >> 1 == -2); assert(a >> 9 == -1); } assert(-5 >> 1 == -3); } }
