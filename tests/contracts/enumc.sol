// expect: safe
contract C { enum E { A, B, D } E e; function f(uint8 x) public { e = E(x); assert(uint(e) < 3); assert(type(E).max == E.D); } function g() public { e = E.B; assert(e == E.B); assert(uint8(e) == 1); } }
