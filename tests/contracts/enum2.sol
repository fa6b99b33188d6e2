// expect: unsafe
contract C { enum E { A, B, D } function f(uint x) public pure { E e = E(x); assert(e != E.D); } }
