// expect: safe
pragma solidity ^0.8.0;
contract D { uint public v = 3; } contract C { function f(bytes32 s) public { D d = new D{salt: s}(); assert(d.v() == 3); assert(address(d) != address(this)); } }
