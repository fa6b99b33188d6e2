// expect: safe
contract C { function f(bytes memory d) public pure { (uint a, bool b) = abi.decode(d, (uint, bool)); (uint c, bool e) = abi.decode(d, (uint, bool)); assert(a == c && b == e); } }
