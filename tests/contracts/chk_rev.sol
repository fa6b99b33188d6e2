// expect: safe
pragma solidity >=0.8.0;
contract C { uint8 x; function inc() public { x++; } function f() public { uint8 y = x + 1; assert(y > x); x = y - 1; assert(x < 255); } }
