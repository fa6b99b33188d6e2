// expect: safe
pragma solidity ^0.8.0;
contract C { function f(uint v) public pure returns (string memory) { if (v == 0) return "0"; uint t = v; uint d; while (t != 0) { d++; t /= 10; } bytes memory b = new bytes(d); while (v != 0) { d -= 1; b[d] = bytes1(uint8(48 + v % 10)); v /= 10; } return string(b); } }
