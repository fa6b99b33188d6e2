// expect: safe
contract C { function f(uint a, address b) public pure { bytes memory x = abi.encode(a, b); bytes memory y = abi.encode(a, b); assert(keccak256(x) == keccak256(y)); assert(x.length == 64); } }
