// expect: safe
pragma solidity >=0.8.0;
contract C { function f(uint8 a) public pure { assert(a << 1 == uint8((uint(a) * 2) % 256)); assert(a >> 1 == a / 2); assert((a & 0xf) < 16); assert((a | 1) % 2 == 1); assert(a ^ a == 0); } }
