// expect: unsafe
contract C { function f(uint8 a) public pure { unchecked { uint8 b = a + 1; assert(b > a); } } }
