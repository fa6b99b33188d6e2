// expect: safe
uint constant K = 42;
contract C { uint constant L = K + 1; uint immutable m; constructor(uint x) { m = x; } function f() public view { assert(L == 43); assert(m == m); } }
