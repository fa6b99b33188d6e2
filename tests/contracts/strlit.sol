// expect: safe
contract C { string s; function f() public { s = "abc"; assert(bytes(s).length == 3); assert(keccak256(bytes(s)) == keccak256("abc")); } }
