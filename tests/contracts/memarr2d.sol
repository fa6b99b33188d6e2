// expect: safe
contract C { function f() public pure { uint[][] memory a = new uint[][](2); a[0] = new uint[](3); a[0][1] = 4; assert(a[0][1] == 4); assert(a[1].length == 0); } }
