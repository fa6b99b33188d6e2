// expect: safe
pragma solidity ^0.8.0;
contract C { function f() public pure { bytes memory b = new bytes(3); bytes memory c = b; b[0] = 0x41; assert(c[0] == 0x41); } }
