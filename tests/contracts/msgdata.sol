// expect: safe
contract C { function f() public pure { assert(keccak256(msg.data) == keccak256(msg.data)); assert(msg.data.length >= 4); } }
