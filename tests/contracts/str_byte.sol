// expect: safe
pragma solidity ^0.8.0;
contract C { string s; bytes b; function f(uint8 n) public { s = "abc"; assert(bytes(s)[1] == "b" && bytes(s).length == 3); b = abi.encodePacked(uint16(0x0102), n); assert(b[0] == 0x01 && uint8(b[2]) == n); } }
