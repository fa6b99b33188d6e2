// expect: safe
contract C { uint a; uint b; function inc() public { require(a < 1000); a++; b++; } function dec() public { require(a > 0); a--; b--; } function f() public view { assert(a == b); } }
