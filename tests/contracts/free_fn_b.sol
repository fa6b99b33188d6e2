// expect: safe
function fact(uint n) pure returns (uint) { if (n <= 1) return 1; return n * fact(n - 1); } contract C { function f() public pure { assert(fact(5) == 120); } }
