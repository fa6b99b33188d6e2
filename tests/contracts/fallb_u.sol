// expect: unsafe
contract C { uint x; fallback() external { x = 1; } function ck() public view { assert(x == 0); } }
