// expect: safe
contract C { string s = "abc"; function f() public view { assert(bytes(s).length == 3); assert(keccak256(bytes(s)) == keccak256("abc")); } }
