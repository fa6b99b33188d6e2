// expect: safe
pragma solidity >=0.8.0;
contract C { constructor() { assert(address(this).code.length == 0); } function f() public view { assert(address(this).code.length > 0); } }
