// expect: unsafe
contract C { uint x; function s(uint a) external { x = a; } function f(uint a) public { this.s(a); assert(x < 10); } }
