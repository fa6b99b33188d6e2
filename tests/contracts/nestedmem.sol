// expect: safe
pragma solidity ^0.8.0;
contract C { function f() public pure { uint[][] memory a = new uint[][](2); a[0] = new uint[](3); a[0][1] = 5; assert(a[0][1] == 5); assert(a.length == 2); assert(a[0].length == 3); } }
