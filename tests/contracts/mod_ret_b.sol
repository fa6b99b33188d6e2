// expect: safe
contract C { uint x; modifier m() { if (x > 5) return; _; } function f() public m { x++; assert(x <= 6); } }
