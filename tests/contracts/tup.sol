// expect: safe
contract C { function g() internal pure returns (uint, bool, uint) { return (1, true, 3); } function f() public pure { (uint a, , uint c) = g(); assert(a == 1 && c == 3); (a, c) = (c, a); assert(a == 3 && c == 1); } }
