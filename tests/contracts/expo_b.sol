// expect: safe
contract C { function f() public pure { uint x = 2; assert(x ** 10 == 1024); assert(x ** 0 == 1); uint8 y = 3; assert(y ** 2 == 9); } }
