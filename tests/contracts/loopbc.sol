// expect: safe
contract C { function f() public pure { uint s = 0; for (uint i = 0; i < 10; i++) { if (i == 3) continue; if (i == 6) break; s += i; } assert(s == 12); } }
