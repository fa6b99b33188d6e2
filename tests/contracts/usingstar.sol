// expect: safe
pragma solidity ^0.8.0;
library L { function max(uint a, uint b) internal pure returns (uint) { return a > b ? a : b; } } contract C { using L for *; function f(uint a) public pure { assert(a.max(3) >= 3); } }
