// expect: safe
pragma solidity >=0.8.0;
contract C { function f() public pure { assert(1e1_0 == 10000000000); uint x = 1_2e0_3; assert(x == 12000); assert(2.5e1_0 == 25000000000); } }
