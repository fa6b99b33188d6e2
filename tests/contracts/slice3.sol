// expect: safe
pragma solidity ^0.8.0;
contract C { function f(bytes calldata a) external pure { require(a.length >= 4); bytes calldata b = a[:4]; assert(b.length == 4); assert(b[0] == a[0]); } }
