// expect: unsafe
pragma solidity ^0.6.0;
contract C { uint x; function f(bytes memory data) public { x = 1; if (data.length < 3) { assembly { let size := mload(data) revert(add(32, data), size) } } else { x = 2; } } function g() public view { assert(x < 2); } }
