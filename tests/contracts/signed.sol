// expect: safe
pragma solidity ^0.8.0;
contract C { function f(int8 a) public pure { require(a > -128); assert(-(-a) == a); assert(a / 2 * 2 + a % 2 == a); assert((a >> 1) * 2 <= a); } }
