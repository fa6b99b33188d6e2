// expect: safe
pragma solidity ^0.8.0;
contract C { uint x; function f(uint a, uint b) public { uint8 r; uint s; assembly { r := add(a, b) let t := mulmod(a, b, 7) if gt(t, 3) { s := t } } x = x | 1; assert(x % 2 == 1); assert(r <= 255); } }
