// expect: unsafe in bv
pragma solidity >=0.8.0;
contract C { function f(uint16 y) public pure { int16 z = int16(3) ** y; if (y == 2) assert(z != 9); } }
