// expect: safe
contract C { modifier a() { _; _; } uint x; function f() internal a returns (uint r) { x++; return r + 1; } function g() public { x = 0; uint z = f(); assert(x == 2); assert(z == 1 || z == 2); } }
