// expect: unsafe
contract C { uint x; receive() external payable { x = 1; } fallback() external payable { x = 2; } function f() public view { assert(x != 2); } }
