// expect: unsafe
pragma solidity ^0.8.0;
contract C { function f(uint n) public pure { uint y = 1; uint i = 0; while (i < 3) { assembly { y := add(y, n) } i++; } assert(y == 1); } }
