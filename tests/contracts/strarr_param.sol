// expect: unsafe
contract C { function f(string[] memory s) public pure { require(s.length == 1); assert(bytes(s[0]).length != 2); } }
