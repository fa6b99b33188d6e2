// expect: unsafe
contract C { uint x; constructor(uint a) { x = a; assert(x < 10); } }
