// expect: safe
pragma solidity ^0.8.0;
contract E { uint public k = 7; } contract D { E public e; constructor(E e_) { e = e_; } } contract C { function f() public { D d = new D(new E()); assert(d.e().k() == 7 && address(d) != address(d.e())); } }
