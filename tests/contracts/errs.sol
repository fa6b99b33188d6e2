// expect: safe
error E(uint a); contract C { uint x; function f(uint a) public { if (a > 5) revert E(a); x = a; } function g() public view { assert(x <= 5); } }
