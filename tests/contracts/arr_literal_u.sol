// expect: unsafe
pragma solidity ^0.8.0;
contract C { uint[] a; function f() public { a.push(7); a.push(8); a = [1]; a.push(); assert(a[1] == 8); } }
