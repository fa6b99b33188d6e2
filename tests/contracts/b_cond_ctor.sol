// expect: unsafe
pragma solidity >=0.8.0;
contract C { uint x; constructor(uint a) { if (a > 5) x = 1; else x = 2; } function f() public view { assert(x == 2); } }
