// expect: safe
contract C { struct S { uint x; mapping(uint => uint) m; } S[] a; function f() public { S storage s = a.push(); s.x = 4; s.m[1] = 2; assert(a[a.length-1].x == 4 && a[a.length-1].m[1] == 2); } }
