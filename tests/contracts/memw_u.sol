// expect: unsafe
pragma solidity ^0.8.0;
contract C { function f(bytes memory b) public pure { require(b.length == 2); b[1] = 0x41; assert(b[1] != 0x41); } }
