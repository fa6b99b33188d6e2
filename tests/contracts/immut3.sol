// expect: safe
pragma solidity ^0.8.0;
contract C { uint immutable a; address immutable o; constructor(uint x) { a = x; o = msg.sender; } function f() public view { assert(o != address(0)); assert(a == a); } }
