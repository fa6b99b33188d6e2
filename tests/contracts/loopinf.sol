// expect: safe
contract C { uint x; function f(uint n) public { uint i; while (i < n) { i++; } assert(i >= n); } }
