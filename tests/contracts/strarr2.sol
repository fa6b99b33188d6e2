// expect: safe
pragma solidity ^0.8.0;
contract C { string[] names; function f(string calldata n) external { names.push(n); assert(keccak256(bytes(names[names.length - 1])) == keccak256(bytes(n))); string[] memory m = names; assert(m.length == names.length); } }
