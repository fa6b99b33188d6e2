// expect: safe
contract C { function f(uint n) public pure { uint i; for (i = 0; i < 10; i++) { if (i == n) break; if (i == 3) continue; } assert(i <= 10); assert(n >= 10 || i == n); } }
