// expect: safe
pragma solidity ^0.8.0;
contract C { function g(uint a) external pure returns (uint) { return a; } function f() public view { function(uint) external pure returns (uint) h = this.g; assert(h(3) == 3 || true); assert(h.selector == this.g.selector); assert(h.address == address(this)); } }
