// expect: unsafe
pragma solidity >=0.8.0;
contract C { function f() public view { assert(address(this).code.length == 0); } }
