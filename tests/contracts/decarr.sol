// expect: safe
pragma solidity ^0.8.0;
contract C { function f(bytes memory b) public pure { (uint[] memory a, uint x) = abi.decode(b, (uint[], uint)); require(a.length > 0); a[0] = x; assert(a[0] == x); } }
