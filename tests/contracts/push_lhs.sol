// expect: safe
contract C { uint[] a; function f() public { a.push() = 5; assert(a[a.length - 1] == 5); } }
