// expect: unsafe
contract C { function inc(uint a) internal pure returns (uint) { return a + 1; } function dec(uint a) internal pure returns (uint) { return a - 1; }
 function f(bool c) public pure { function (uint) internal pure returns (uint) g = inc; if (c) g = dec; assert(g(5) == 6); } }
