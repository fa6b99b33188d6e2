// expect: unsafe
contract C { function f(uint[][] calldata a) external pure { require(a.length > 1 && a[0].length > 0); assert(a[0][0] != 5); } }
