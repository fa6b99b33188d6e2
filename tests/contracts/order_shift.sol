// expect: safe
pragma solidity ^0.8.0;
contract C { uint8 x; function n() internal returns (uint8) { return ++x; } function f() public { x = 0; assert(n() << n() == 4); x = 0; assert(n() ** n() == 2); x = 0; assert(n() - n() == 1); } }
