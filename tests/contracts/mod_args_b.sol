// expect: safe
contract C { uint x; modifier lim(uint a) { require(a < 10); _; assert(x < 10); } function f(uint a) public lim(a) { x = a; } }
