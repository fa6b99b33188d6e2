// expect: safe
pragma solidity >=0.8.0;
interface D { function d() external; }
contract C { uint x; D d; uint y; function inc() public { x = x + 1; } function f() public { uint a = x; d.d(); assert(x >= a); assert(y == 0); } }
