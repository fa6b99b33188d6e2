// expect: safe
pragma solidity ^0.5.0;
contract C { uint[] a; function f() public { a.length = 3; a[2] = 1; a.length--; assert(a.length == 2); a.length += 2; assert(a[2] == 0); } }
