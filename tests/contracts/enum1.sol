// expect: safe
contract C { enum E { A, B, D } E e; function nxt() public { if (e == E.A) e = E.B; else if (e == E.B) e = E.D; else e = E.A; } function ck() public view { assert(uint(e) <= 2); assert(uint8(E.D) == 2); } }
