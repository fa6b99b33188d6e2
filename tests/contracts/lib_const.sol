// expect: safe
library L { uint constant K = 5; function k() internal pure returns (uint) { return K; } } contract C { function f() public pure { assert(L.k() == 5); } }
