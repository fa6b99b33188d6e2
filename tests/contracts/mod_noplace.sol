// expect: unsafe
contract C { bool b; modifier m(bool c) { if (c) { _; } } function f(bool c) internal m(c) returns (uint) { return 5; } function g(bool c) public { assert(f(c) == 5); } }
