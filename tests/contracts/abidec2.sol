// expect: unsafe
contract C { function f(bytes memory d) public pure { (uint a, uint b) = abi.decode(d, (uint, uint)); assert(a == b); } }
