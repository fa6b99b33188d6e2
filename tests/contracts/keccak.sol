// expect: safe
contract C { function f(bytes memory a, bytes memory b) public pure { require(keccak256(a) == keccak256(b)); assert(a.length == b.length); } }
