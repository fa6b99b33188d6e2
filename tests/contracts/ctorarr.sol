// expect: safe
pragma solidity ^0.8.0;
contract C { address[] owners; constructor(address[] memory o) { require(o.length > 0); for (uint i = 0; i < o.length; i++) owners.push(o[i]); } function f() public view { assert(owners.length > 0); } }
