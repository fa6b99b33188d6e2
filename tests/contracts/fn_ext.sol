// expect: safe
contract C { uint x; function a() external { x = 3; } function f() public { function () external g = this.a; g(); } function h() public view { assert(x == 0 || x == 3); } }
