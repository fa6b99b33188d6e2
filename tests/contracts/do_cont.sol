// expect: safe
contract C { function f() public pure { uint i; do { i++; if (i == 2) continue; } while (i < 4); assert(i == 4); } }
