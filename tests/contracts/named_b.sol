// expect: safe
contract C { function s(uint a, uint b) internal pure returns (uint) { return a - b; } function f() public pure { assert(s({b: 2, a: 5}) == 3); } }
