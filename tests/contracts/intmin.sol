// expect: safe
contract C { function f(int8 a) public pure { int8 b = -a; assert(a != type(int8).min); unchecked { int8 c = -a; assert(c == b); } } }
