// expect: safe
contract C { function f(bytes4 b) public pure { bytes32 c = b; assert(bytes4(c) == b); assert(uint32(bytes4(0x01020304)) == 0x01020304); assert(b.length == 4); } }
