// expect: safe
pragma solidity >=0.8.0;
interface D { function d() external; }
contract C { bool on; D d; uint st; function f() public { st = 2; d.d(); assert(st == 2 || st == 5); } function g() public { st = 5; d.d(); } }
