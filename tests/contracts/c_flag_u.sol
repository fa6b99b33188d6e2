// expect: unsafe
pragma solidity >=0.8.0;
interface D { function d() external; }
contract C { D d; uint st; function f() public { st = 2; d.d(); assert(st == 2); } function g() public { st = 5; d.d(); } }
