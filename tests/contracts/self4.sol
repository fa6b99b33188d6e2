// expect: unsafe
pragma solidity ^0.8.0;
interface I { function g() external; }
contract C { uint x; function g() public { require(msg.sender == address(this)); x = 1; } function f(I i) public { i.g(); } function h() public view { assert(x == 0); } }
