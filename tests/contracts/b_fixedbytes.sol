// expect: safe
pragma solidity >=0.8.8;
contract C { function f(bytes calldata d, bytes memory e) public pure { require(d.length >= 4); bytes4 s = bytes4(d[:4]); bytes4 t = bytes4(d[:4]); assert(s == t); assert(bytes2(bytes4(hex"01020304")) == 0x0102); require(e.length == 0); assert(bytes32(e) == bytes32(0)); } }
