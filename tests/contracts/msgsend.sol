// expect: unsafe
pragma solidity ^0.8.0;
contract C { address owner; function f() public { owner = tx.origin; } function g() public view { assert(owner != msg.sender); } }
