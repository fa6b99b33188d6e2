// expect: unsafe
contract C { function f(bytes memory b, bytes memory d) public pure { assert(sha256(b) == sha256(d)); } }
