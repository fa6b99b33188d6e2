// expect: unsafe
pragma solidity ^0.8.0;
contract D { uint public a; constructor() payable { a = msg.value; } } contract C { constructor() payable {} function f() public { D d = new D{value: 5}(); assert(d.a() != 5); } }
