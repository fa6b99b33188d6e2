// expect: safe
contract C { function f(uint[][] memory a) public pure { require(a.length == 2); uint n = a[0].length; if (n > 0) { a[0][0] = 5; assert(a[0][0] == 5); } } }
