// expect: safe
contract C { uint x; function n() internal returns (uint) { return ++x; } function f() public { x = 0; uint r = n() * 10 + n() * 100; assert(r == 120); x = 0; assert(n() > n()); x = 5; uint y = x++ + ++x; assert(y == 12 && x == 7); x = 1; bool late = x == n() - 1; assert(!late); } }
