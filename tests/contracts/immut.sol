// expect: unsafe
contract C { uint immutable m; constructor(uint x) { require(x > 3); m = x; } function f() public view { assert(m > 4); } }
