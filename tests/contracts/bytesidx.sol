// expect: unsafe
contract C { function f(bytes4 b) public pure { assert(b[0] == b[1]); } }
