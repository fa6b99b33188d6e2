// expect: unsafe
contract C { uint x; fallback() external payable { x = 2; } receive() external payable { x = 1; } function f() public view { assert(x != 1); } }
