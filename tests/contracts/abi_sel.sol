// expect: safe
contract C { function g(uint x) public pure returns (uint) { return x; } function f() public pure { assert(this.g.selector == bytes4(keccak256("g(uint256)"))); } }
