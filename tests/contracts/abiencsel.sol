// expect: safe
contract C { function f(uint a) public pure { bytes memory x = abi.encodeWithSelector(0x12345678, a); bytes memory y = abi.encodeWithSelector(0x12345678, a); assert(x.length == y.length); } }
