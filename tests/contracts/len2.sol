// expect: unsafe
pragma solidity ^0.4.24;
contract C { uint[] a; function p(uint v) public { a.push(v); } function f() public { if (a.length > 1) a.length--; } function g() public { assert(a.length < 2); } }
