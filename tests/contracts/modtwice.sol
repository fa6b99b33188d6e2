// expect: safe
contract C { uint x; modifier m() { x = 0; _; _; } function g() internal m { x++; } function f() public { g(); assert(x == 2); } }
