// expect: safe
pragma solidity ^0.8.0;
contract C { uint[][] a; function f() public { a.push(); a[a.length - 1].push(3); assert(a[a.length - 1][0] == 3); uint[] storage r = a[0]; r.push(4); assert(a[0][a[0].length - 1] == 4); a.pop(); } }
