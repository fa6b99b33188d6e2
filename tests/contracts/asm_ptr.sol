// expect: safe
pragma solidity ^0.8.0;
contract C { struct S { uint v; } uint x; function s(uint n) internal pure returns (S storage r) { assembly { r.slot := n } } function f() public { S storage r = s(0); r.v = 1; x = 2; } }
