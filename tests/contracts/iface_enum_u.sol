// expect: unsafe
pragma solidity ^0.8.0;
interface I { function set(uint8 e) external; } contract C { enum E { A, B } E public a; function set(E e) public { a = e; } } contract T { C c = new C(); function go() public { I(address(c)).set(1); assert(c.a() != C.E.B); } }
