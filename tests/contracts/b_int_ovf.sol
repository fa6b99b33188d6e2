// expect: safe
pragma solidity >=0.8.0;
contract C { function f(int8 a, int8 b) public pure { int8 c = a * b; assert(int(c) == int(a) * int(b)); assert(a >= -128 && a <= 127); require(b != 0); int8 d = a / b; assert(int(d) == int(a) / int(b)); } }
