// expect: safe
contract C { function f(uint a, uint b) public pure { require(a != b); assert(keccak256(abi.encode(a)) != keccak256(abi.encode(b))); } }
