// expect: unsafe
contract C { function f(uint[][] memory a) public pure { require(a.length > 1 && a[0].length > 1); assert(a[0][1] != 7); } }
