// expect: safe
pragma solidity ^0.8.0;
interface I { function q() external view returns (uint); }
contract C { uint8 x; uint8 y; function f(I a) public { x++; a.q(); y++; } function w() public { x = y; assert(x == y); } function v(I a) public view { uint8 old = x; a.q(); assert(x == old); } }
