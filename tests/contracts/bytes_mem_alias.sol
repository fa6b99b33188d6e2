// expect: safe
contract C { function f() public pure { bytes memory b = new bytes(2); bytes memory c = b; c[0] = 0xff; assert(b[0] == 0xff); } }
