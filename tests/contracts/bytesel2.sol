// expect: safe
contract C { bytes b; function f() public { b.push(0x01); assert(b[b.length - 1] == 0x01); } }
