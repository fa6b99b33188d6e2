// expect: safe
pragma solidity ^0.8.0;
contract C { function f(bool b) public pure { (uint x, uint y) = b ? (1, 2) : (2, 1); assert(x + y == 3); } }
