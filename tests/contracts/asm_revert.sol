// expect: safe
pragma solidity ^0.6.0;
contract C { uint x; function f(bytes memory data) public { x = 1; if (data.length > 3) { x = 2; assembly { let size := mload(data) revert(add(32, data), size) } } } function g() public view { assert(x < 2); } }
