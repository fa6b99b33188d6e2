// expect: safe
contract C { function inc(uint a) internal pure returns (uint) { return a + 1; } function f(uint a) public pure { require(a < 100); function(uint) internal pure returns (uint) g = inc; assert(g(a) == a + 1); } }
