// expect: safe
pragma solidity ^0.5.0;
contract C { uint[] a; function f() public { uint n = a.push(1); assert(n == a.length); assert(a[n - 1] == 1); } }
