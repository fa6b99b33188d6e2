// expect: safe
contract C { function f(uint a) internal pure returns (uint) { return 1; } function f(int a) internal pure returns (uint) { return 2; } function f(uint a, uint b) internal pure returns (uint) { return 3; } function g() public pure { assert(f(uint(1)) == 1 && f(int(1)) == 2 && f(1, 2) == 3); } }
