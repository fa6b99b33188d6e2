// expect: safe
pragma solidity ^0.8.0;
contract C { function f(bytes32 h, uint8 v, bytes32 r, bytes32 s) public pure { address a = ecrecover(h, v, r, s); address b = ecrecover(h, v, r, s); assert(a == b); } }
