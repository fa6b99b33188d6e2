// expect: safe
contract C { uint x; modifier a() { x = 1; _; x = x * 2; } modifier b() { x = x + 3; _; x = x + 5; } function f() public a b { x = x + 10; } function g() public { f(); assert(x == 38); } }
