// expect: safe
contract C { function g(uint a, uint b) internal pure returns (uint) { return a - b; } function f() public pure { assert(g({b: 1, a: 3}) == 2); } }
