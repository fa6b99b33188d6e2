// expect: safe
pragma solidity ^0.7.0;
contract C { uint x = 3; function f(uint x) public pure { uint y = x; { uint z = y; y = z + 1; } assert(y == x + 1 || y == 0); } function g() public { x = x + 1; if (x == 0) return; assert(x > 0); } }
