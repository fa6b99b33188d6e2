// expect: safe
contract C { function f(uint8 a) public pure { uint8 b = a + 1; assert(b > a); } }
