// expect: safe
pragma solidity ^0.8.0;
contract C { struct S { uint a; bool b; } function f(bytes memory d) public pure { S memory s = abi.decode(d, (S)); s.a = 1; assert(s.a == 1); } }
