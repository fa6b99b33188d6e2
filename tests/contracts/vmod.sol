// expect: safe
pragma solidity ^0.8.0;
abstract contract A { modifier m() virtual; uint x; function f() public m { x = 1; assert(x == 1); } } contract C is A { modifier m() override { require(x == 0); _; } }
