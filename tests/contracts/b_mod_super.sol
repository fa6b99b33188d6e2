// expect: safe
pragma solidity ^0.6.0;
contract A { uint a; function f() virtual internal { a = 1; } }
contract B is A { uint b; function f() virtual override internal { b = 1; super.f(); } }
contract D is A { uint d; function f() virtual override internal { d = 1; super.f(); } }
contract C is B, D { function f() override(B, D) internal { super.f(); } function g() public { f(); assert(a == 1 && b == 1 && d == 1); } }
