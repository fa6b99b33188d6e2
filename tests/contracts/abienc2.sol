// expect: unsafe
contract C { function f(uint a, uint c, bytes memory b) public pure { bytes memory x = abi.encode(a, b); bytes memory y = abi.encode(c, b); assert(keccak256(x) == keccak256(y)); } }
