// expect: safe
contract C { uint[] a; uint[3] b; function f() public { a = [1, 2]; assert(a.length == 2 && a[1] == 2); uint[] memory c = a; c[0] = 9; assert(a[0] == 1); b = [uint(4), 5, 6]; assert(b[2] == 6); } }
