// expect: safe
pragma solidity ^0.8.0;
contract C { uint[] a = [1, 2, 3]; uint[5] b; uint[2][] c; function f() public { a = [1, 2, 3]; a.push(4); a = [uint(7)]; assert(a.length == 1 && a[0] == 7); a.push(); assert(a[1] == 0); b[4] = 9; b = [1, 2, 3]; assert(b[1] == 2 && b[4] == 0); c = [[uint(1), 2], [uint(3), 4]]; c.push([uint(5), 6]); assert(c[1][0] == 3 && c[2][1] == 6); } }
