// expect: unsafe
contract C { function f(string memory a, string memory b, string memory c) public pure { require(keccak256(bytes(a)) != keccak256(bytes(c))); assert(keccak256(abi.encodePacked(a, b)) != keccak256(abi.encodePacked(c, b))); } }
