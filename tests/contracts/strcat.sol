// expect: safe
contract C { function f(string memory a) public pure { string memory b = string.concat(a, "x"); assert(keccak256(bytes(b)) == keccak256(bytes(string.concat(a, "x")))); } }
