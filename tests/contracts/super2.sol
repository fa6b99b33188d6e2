// expect: unsafe
contract A { uint x; function f() internal virtual returns (uint) { return 1; } } contract B is A { function f() internal virtual override returns (uint) { return 2 + super.f(); } }
contract C is B { function f() internal override returns (uint) { return 4 + A.f(); } function g() public { assert(f() == 7); } }
