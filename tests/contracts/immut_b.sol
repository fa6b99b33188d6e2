// expect: safe
contract C { uint immutable x; uint constant K = 3 * 7; constructor(uint a) { require(a > K); x = a; } function f() public view { assert(x > 21); } }
