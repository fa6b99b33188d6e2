// expect: safe
pragma solidity >=0.8.0;
contract C { function fact(uint n) internal pure returns (uint) { return n == 0 ? 1 : n * fact(n - 1); } function f() public pure { assert(fact(4) == 24); } }
