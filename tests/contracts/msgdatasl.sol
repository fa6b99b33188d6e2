// expect: safe
pragma solidity ^0.8.0;
contract C { function f(uint a) external pure { assert(bytes4(msg.data[:4]) == this.f.selector); assert(abi.decode(msg.data[4:], (uint)) == a || true); } }
