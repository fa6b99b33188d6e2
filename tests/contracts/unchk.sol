// expect: safe
pragma solidity >=0.8.0;
contract C { function f(uint a, uint b) public pure { unchecked { uint c = a - b; assert(c + b == a); } uint8 x = 255; unchecked { x++; } assert(x == 0); assert(a / (b | 1) <= a); } }
