// expect: safe
function plus(uint a, uint b) pure returns (uint) { return a + b; }
contract C { function f(uint a) public pure { require(a < 10); assert(plus(a, 1) == a + 1); } }
