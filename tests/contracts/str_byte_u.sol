// expect: unsafe
pragma solidity ^0.8.0;
contract C { bytes b; function f(uint8 n) public { b = abi.encodePacked(uint16(0x0102), n); assert(b[2] != 0x07); } }
