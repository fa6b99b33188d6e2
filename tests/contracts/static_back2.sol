// expect: unsafe
pragma solidity ^0.8.0;
interface I { function q() external view returns (uint); }
contract C { uint8 x; uint8 y; function f(I a) public { x++; a.q(); y++; } function v() public view { assert(x == y); } }
