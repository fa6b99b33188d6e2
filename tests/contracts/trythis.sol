// expect: unsafe
contract C { function g(uint x) external pure returns (uint) { require(x < 10); return x; } function f(uint x) public view { try this.g(x) returns (uint y) { assert(y < 10); } catch { assert(x < 10); } assert(x != 5); } }
