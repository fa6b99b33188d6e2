// expect: safe
contract C { function f(bytes memory b) public pure { bytes32 a = sha256(b); bytes32 c = sha256(b); assert(a == c); assert(ripemd160(b) == ripemd160(b)); } }
