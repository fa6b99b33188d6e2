// expect: safe
pragma solidity ^0.8.0;
contract C { string public name = "abc"; function get() public view returns (string memory) { return name; } function f() public view { assert(keccak256(bytes(get())) == keccak256(bytes(name))); } }
