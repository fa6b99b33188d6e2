// expect: safe
contract C { event E(uint indexed a, string b); uint x; function inc() internal returns (uint) { return ++x; } function f() public { uint y = x; require(y < 100); emit E(inc(), "a"); assert(x == y + 1); } }
