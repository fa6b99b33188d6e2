// expect: unsafe
pragma solidity >=0.8.0;
interface D { function d() external; }
contract C { uint x; D d; function inc() public { unchecked { x = x + 2**255; } } function f() public { uint a = x; d.d(); assert(x >= a); } }
