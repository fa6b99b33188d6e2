// expect: safe
contract C { uint[] a; function f() public view { uint s; for (uint i = 0; i < a.length && i < 3; i++) { s += 1; } assert(s <= 3); } }
