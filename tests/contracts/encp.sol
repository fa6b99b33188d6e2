// expect: safe
pragma solidity ^0.8.0;
contract C { struct S { uint a; uint b; } function f(S memory s, uint[] memory l) public pure { assert(keccak256(abi.encode(s)) == keccak256(abi.encode(s))); assert(keccak256(abi.encodePacked(l)) == keccak256(abi.encodePacked(l))); } }
