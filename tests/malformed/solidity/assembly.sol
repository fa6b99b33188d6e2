contract A { function f() public pure returns (uint r) {
  assembly { r := 7 } } }
