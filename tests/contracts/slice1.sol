// expect: safe
pragma solidity ^0.8.0;
contract C { function f(uint[] calldata a) external pure { require(a.length > 3); uint[] calldata b = a[1:3]; assert(b.length == 2); assert(b[0] == a[1]); } }
