// expect: safe
contract C { function f(bytes4 b) public pure { bytes2 c = bytes2(b); assert(c[0] == b[0]); bytes32 d = b; assert(bytes4(d) == b); assert(uint32(b) == uint32(bytes4(d))); } }
