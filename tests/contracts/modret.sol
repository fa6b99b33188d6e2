// expect: unsafe
contract C { uint x; modifier m() { _; x = 5; } function f(bool b) public m returns (uint) { if (b) return 1; x = 3; return 2; } function h() public view { assert(x != 5); } }
