// expect: safe
pragma solidity ^0.8.0;
contract C { function f() public pure { bytes memory b = new bytes(3); b[0] = 0x41; assert(b[0] == 0x41); assert(b.length == 3); } }
