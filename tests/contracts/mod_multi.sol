// expect: safe
contract C { uint x; modifier a() { _; _; } function f() internal a { x = x + 1; } function g() public { uint y = x; require(y < 100); f(); assert(x == y + 2); } }
