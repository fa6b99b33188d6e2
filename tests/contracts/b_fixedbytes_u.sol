// expect: unsafe
pragma solidity >=0.8.8;
contract C { function f(bytes memory e) public pure { assert(bytes4(e) != 0x01020304); } }
