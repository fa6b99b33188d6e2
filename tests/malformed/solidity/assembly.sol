contract A { function f() public pure returns (uint r) {
  assembly { mstore(64, 7) } } }
