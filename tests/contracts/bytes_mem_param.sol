// expect: unsafe
contract C { function f(bytes memory b) public pure { require(b.length > 2); b[0] = 0x01; assert(b[1] != 0x02); } }
