// expect: unsafe
pragma solidity ^0.8.0;
contract C { function f(uint[] memory a) public pure { require(a.length > 0 && a[0] == 1); assembly { mstore(add(a, 32), 7) } assert(a[0] == 1); } }
