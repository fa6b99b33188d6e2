// expect: unsafe
pragma solidity ^0.8.0;
contract C { uint x; uint y; function f(address a) public { x++; a.staticcall(""); y++; } function v() public view { assert(x == y); } }
