// expect: safe
contract C { function f(uint x) public pure { uint y = x; delete y; assert(y == 0); } }
