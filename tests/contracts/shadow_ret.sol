// expect: safe
contract C { function f() public pure returns (uint a, uint b) { a = 1; (b, a) = (a, 3); assert(a == 3 && b == 1); } }
