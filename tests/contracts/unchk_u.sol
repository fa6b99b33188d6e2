// expect: unsafe
pragma solidity >=0.8.0;
contract C { function f(uint a, uint b) public pure { unchecked { assert(a + b >= a); } } }
