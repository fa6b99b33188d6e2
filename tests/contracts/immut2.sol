// expect: safe
contract C { uint immutable m = 5; uint immutable n; constructor(uint x) { require(x > 3); n = x; } function f() public view { assert(m == 5 && n > 3); } }
