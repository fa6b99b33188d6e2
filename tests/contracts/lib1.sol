// expect: safe
library L { struct S { uint a; } function set(S storage s, uint v) internal { s.a = v; } function get(S storage s) internal view returns (uint) { return s.a; } }
contract C { using L for L.S; L.S s; function f(uint v) public { s.set(v); assert(s.get() == v); } }
