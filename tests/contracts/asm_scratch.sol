// expect: safe
pragma solidity ^0.8.0;
contract C { function f(uint[] memory a, bytes32 h) public pure returns (bytes32 r) { require(a.length > 0 && a[0] == 1); assembly { mstore(0x00, h) let p := mload(0x40) mstore(add(p, 0x02), h) r := keccak256(p, 0x42) } assert(a[0] == 1); } }
