// expect: unsafe
pragma solidity ^0.8.0;
contract C { function f(uint[] calldata a) external pure { uint[] calldata b = a[1:]; assert(b.length < 3); } }
