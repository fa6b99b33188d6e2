// expect: safe
contract C { function add(uint a, uint b) internal pure returns (uint) { return a + b; } function mul(uint a, uint b) internal pure returns (uint) { return a * b; }
 function f(bool c) public pure { function (uint, uint) internal pure returns (uint) g = c ? add : mul; assert(g(2, 2) == 4); } }
