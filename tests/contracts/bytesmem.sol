// expect: safe
contract C { function f() public pure { bytes memory b = new bytes(3); b[1] = 0x05; assert(b[1] == 0x05); assert(b.length == 3); } }
