// expect: safe
contract C { function f(int a) public pure { require(a == -7); assert(a / 2 == -3); assert(a % 2 == -1); uint x = 7; assert(x / 2 == 3 && x % 4 == 3); } }
