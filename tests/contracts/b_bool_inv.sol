// expect: safe
pragma solidity >=0.8.0;
contract C { bool a; bool b; function f() public { a = true; } function g() public { require(a); b = true; } function inv() public view { assert(!b || a); } }
