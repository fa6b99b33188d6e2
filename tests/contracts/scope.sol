// expect: unsafe
contract C { uint x; function f() public { uint x = 5; x = 6; } function g() public { x = 1; f(); assert(x == 6); } }
