// expect: safe
pragma solidity >=0.8.0;
contract C { function g(uint a) internal pure returns (uint r) { r = a; } function f(uint a) public pure { assert(g(a) == a); } }
