// expect: safe
contract C { function g() internal pure returns (uint, bool, int) { return (1, true, -1); } function f() public pure { (uint a, , int c) = g(); assert(a == 1 && c == -1); (a, c) = (a + 1, c - 1); uint b = 5; (a, b) = (b, a); assert(a == 5 && b == 2 && c == -2); } }
