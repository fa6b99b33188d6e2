// expect: safe
contract C { function f(uint n) public pure { require(n < 5); uint i = 0; do { i++; } while (i < n); assert(i >= 1 && i <= 5); } }
