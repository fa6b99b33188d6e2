// expect: safe
contract C { enum E { A, B, D } function f(E e) public pure { assert(e <= type(E).max); assert(e >= E.A); } }
