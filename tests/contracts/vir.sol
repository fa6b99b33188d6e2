// expect: unsafe
contract A { function h() public pure virtual returns (uint) { return 1; } function f() public pure { assert(h() == 1); } }
contract C is A { function h() public pure override returns (uint) { return 2; } }
