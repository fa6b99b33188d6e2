// expect: safe
contract A { uint x; modifier m() virtual { x = 1; _; } function f() public m { assert(x >= 1); } } contract C is A { modifier m() override { x = 2; _; } function g() public m { assert(x == 2); } }
