// expect: safe
contract C { function g(uint a) internal pure returns (uint) { return a; } function g(uint a, uint b) internal pure returns (uint) { return a + b; } function g(bool) internal pure returns (uint) { return 9; } function f() public pure { assert(g(1) == 1 && g(1, 2) == 3 && g(true) == 9); } }
