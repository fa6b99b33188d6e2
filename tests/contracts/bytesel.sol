// expect: unsafe
contract C { bytes b; function p() public { b.push(0x01); } function f() public view { require(b.length > 0); assert(b[0] != 0x01); } }
