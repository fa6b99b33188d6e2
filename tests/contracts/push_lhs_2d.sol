// expect: safe
contract C { uint[][] a; function f() public { a.push().push() = 5; assert(a[a.length - 1][0] == 5); assert(a[a.length-1].length == 1); } }
