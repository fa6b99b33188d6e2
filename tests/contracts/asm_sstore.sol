// expect: unsafe
pragma solidity ^0.7.0;
contract C { uint x; function f(bytes32 slot, uint v) public { assembly { sstore(slot, v) } } function g() public view { assert(x == 0); } }
