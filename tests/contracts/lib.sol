// expect: safe
library L { struct S { uint v; } function inc(S storage s) internal { s.v += 1; } function max(uint a, uint b) internal pure returns (uint) { return a > b ? a : b; } function ext(uint a) external pure returns (uint) { return a; } }
contract C { using L for L.S; using L for uint; L.S s; function f() public { require(s.v < 10); uint o = s.v; s.inc(); assert(s.v == o + 1); assert(o.max(99) == 99); assert(L.max(1, 2) == 2); assert(L.ext(3) == 3); } }
