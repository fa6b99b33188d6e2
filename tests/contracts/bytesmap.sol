// expect: unsafe
contract C { mapping(bytes32 => bool) m; function s(uint a) public { m[keccak256(abi.encodePacked(a))] = true; } function f(uint b) public view { assert(!m[keccak256(abi.encodePacked(b))]); } }
