// expect: unsafe
pragma solidity ^0.8.0;
interface I { function q() external view returns (uint); }
contract C { uint8 x; uint8 y; event E(uint); function f(I a) public { x++; a.q(); y++; } function w() public { assert(x == y); x = x / 2; y = y / 2; emit E(x); } }
