// expect: unsafe
contract D { function g(uint x) public pure returns (uint) { require(x > 3); return x; } } contract C { D d; constructor() { d = new D(); } function f(uint x) public view { try d.g(x) returns (uint y) { assert(y > 3); } catch { assert(x > 3); } } }
