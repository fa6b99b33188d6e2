// expect: safe
contract C { uint x; fallback() external { x = 1; } receive() external payable { x = 2; } function ck() public view { assert(x < 3); } }
