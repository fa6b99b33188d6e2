// expect: safe
pragma solidity ^0.8.0;
contract C { function f(bytes32 x) public pure returns (string memory) { bytes memory s = new bytes(64); for (uint i = 0; i < 32; i++) { s[i * 2] = x[i]; } return string(s); } }
