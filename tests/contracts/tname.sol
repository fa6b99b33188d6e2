// expect: safe
pragma solidity ^0.8.0;
contract D {} contract C { function f() public pure { assert(keccak256(bytes(type(D).name)) == keccak256("D")); assert(type(D).creationCode.length == type(D).creationCode.length); } }
