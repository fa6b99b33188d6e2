// expect: safe
pragma solidity ^0.8.0;
contract A { uint internal x; constructor(uint a) { x = a; } } contract B is A(3) { } contract C is B { function f() public view { assert(x == 3); } }
