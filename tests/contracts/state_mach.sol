// expect: safe
contract C { uint s; function a() public { require(s == 0); s = 1; } function b() public { require(s == 1); s = 2; } function c() public { require(s == 2); s = 0; } function ck() public view { assert(s < 3); } }
