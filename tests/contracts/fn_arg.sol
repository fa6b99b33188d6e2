// expect: safe
contract C { function twice(function (uint) internal pure returns (uint) h, uint x) internal pure returns (uint) { return h(h(x)); }
 function inc(uint a) internal pure returns (uint) { return a + 1; } function f() public pure { assert(twice(inc, 3) == 5); } }
