// expect: safe
contract C { uint x; modifier m(uint a) { require(a > 5); _; assert(x == a); } function f(uint b) public m(b) { x = b; } }
