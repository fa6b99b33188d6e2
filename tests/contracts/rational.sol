// expect: safe
pragma solidity >=0.8.0;
contract C { function f() public pure { uint x = 1e18 / 1e15; assert(x == 1000); assert(2**10 == 1024); assert(uint(7) / 2 == 3); uint y = 0.5 ether; assert(y == 5e17); assert(1 days == 86400 seconds); assert((2**255 - 1) * 2 + 1 == type(uint).max); int z = -5 % 3; assert(z == -2); assert(1_000 == 1000); assert(0xff == 255); } }
