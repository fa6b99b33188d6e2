// expect: unsafe
pragma solidity ^0.8.0;
contract C { uint x; function(uint) external h; function set(function(uint) external a) public { h = a; } function f() public { x = 0; h(1); assert(x == 0); } function g() public { x = 1; } }
