// expect: safe
contract C { function f() public pure { int a = -7; assert(a / 2 == -3 && a % 2 == -1 && a / -2 == 3); } }
