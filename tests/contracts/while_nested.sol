// expect: safe
contract C { function f() public pure { uint s; uint i; while (true) { uint j = 0; while (j < 3) { j++; if (j == 2) break; s++; } i++; if (i == 3) break; } assert(s == 3); } }
