// expect: safe
pragma solidity ^0.8.0;
contract C { function g(uint) public pure returns (uint) { return 1; } function g(bool) public pure returns (uint) { return 2; } function f() public view { assert(this.g(true) == 2); assert(this.g(5) == 1); } }
