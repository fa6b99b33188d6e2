// expect: safe
pragma solidity ^0.8.0;
contract C { function g(bytes memory b) internal pure returns (uint n) { for (uint i = 0; i < b.length; i++) if (b[i] == "a") n++; } function f() public pure { assert(g("abca") == 2); } }
