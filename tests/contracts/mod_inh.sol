// expect: safe
pragma solidity >=0.8.0;
contract A { int x; modifier m virtual { x = 1; _; } function f() public m returns (int) { return x; } }
contract B is A { modifier m override { x = 2; _; assert(x == 2); } }
contract C is B { function g() public { assert(f() == 2); } }
