// expect: safe
pragma solidity ^0.8.0;
contract C { function f(uint8 i) public pure { require(i < 3); uint8[3] memory a = [1, 2, 3]; assert(a[i] == i + 1); uint8[2][2] memory b = [[1, 2], [3, 4]]; assert(b[1][0] == 3); } }
