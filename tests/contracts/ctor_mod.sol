// expect: safe
pragma solidity >=0.8.0;
contract A { uint a; modifier m(uint k) { a = k; _; a += k; } constructor() m(2) { a *= 10; } }
contract C is A { constructor() { assert(a == 22); } function f() public view { assert(a == 22); } }
