// expect: safe
pragma solidity ^0.8.0;
contract A { function f() public virtual returns (uint) { return 1; } } contract B is A { function f() public virtual override returns (uint) { return super.f() + 1; } } contract D is A { function f() public virtual override returns (uint) { return super.f() + 2; } } contract C is B, D { function f() public override(B, D) returns (uint) { return super.f(); } function t() public { assert(f() == 4); } }
