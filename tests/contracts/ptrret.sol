// expect: safe
contract C { struct S { uint a; } mapping(uint => S) m; function g(uint k) internal view returns (S storage) { return m[k]; } function f(uint k) public { g(k).a = 3; assert(m[k].a == 3); } }
