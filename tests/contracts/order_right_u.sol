// expect: unsafe
contract C { uint x = 5; function n() internal returns (uint) { x = 100; return 1; } function f() public { x = 5; uint y = x + n(); assert(y == 6); } }
