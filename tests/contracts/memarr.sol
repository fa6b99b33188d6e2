// expect: safe
contract C { function f(uint n) public pure { require(n > 3 && n < 100); uint[] memory a = new uint[](n); a[2] = 5; uint[] memory b = a; b[2] = 6; assert(a[2] == 6); assert(a[1] == 0); assert(a.length == n); } }
