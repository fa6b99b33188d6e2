// expect: safe
pragma solidity ^0.8.0;
contract D { uint public v; constructor(uint a) payable { require(a > 1); v = a; } } contract C { function f(uint a) public { try new D(a) returns (D d) { assert(d.v() == a); assert(a > 1); } catch { } } }
