// expect: safe
pragma solidity ^0.8.0;
contract C { mapping(uint => function(uint) internal pure returns (uint)) m; function a(uint x) internal pure returns (uint) { return x; } function f() public { m[1] = a; assert(m[1](5) == 5); } }
