// expect: safe
pragma solidity ^0.8.0;
contract C { function f(uint8 n) public pure { uint8 i; uint s; do { if (i == 3) { i++; continue; } s += i; i++; } while (i < n && i < 6); assert(s <= 15); } }
