// expect: safe
pragma solidity ^0.8.0;
contract C { function(uint) internal pure returns (uint)[] m; function a(uint x) internal pure returns (uint) { return x; } function f() public { m.push(a); assert(m[m.length - 1](5) == 5); } }
