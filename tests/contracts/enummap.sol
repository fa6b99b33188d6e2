// expect: safe
pragma solidity ^0.8.0;
contract C { enum E { A, B } mapping(E => uint) m; E e; function f() public { m[E.B] = 3; e = E.B; assert(m[e] == 3); assert(uint(type(E).max) == 1); e = E(uint8(1)); assert(e == E.B); } }
