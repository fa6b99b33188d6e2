// expect: safe
contract C { function f() public pure { bytes memory b = new bytes(3); b[1] = 0x41; assert(b[1] == 0x41); assert(b[0] == 0x00); assert(b.length == 3); } }
