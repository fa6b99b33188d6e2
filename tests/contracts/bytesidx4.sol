// expect: safe
pragma solidity ^0.8.0;
contract C { function f(bytes32 b, uint i) public pure { require(i < 32); bytes1 x = b[i]; assert(x == b[i]); assert(uint8(x) <= 255); } }
