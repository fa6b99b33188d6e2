// expect: safe
contract C { function f(uint n) public pure { require(n < 5); uint i = 0; for (;;) { if (i >= n) break; ++i; } assert(i == n); } }
