// expect: safe
contract C { function f(uint a, bool b) public pure { (uint x, bool y) = abi.decode(abi.encode(a, b), (uint, bool)); assert(x == a && y == b); } }
