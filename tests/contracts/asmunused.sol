// expect: unsafe
contract C { uint y; function g() public view returns (uint r) { assembly { r := sload(0) } } function h(uint v) public { y = v; } function f() public view { assert(y == 0); } }
