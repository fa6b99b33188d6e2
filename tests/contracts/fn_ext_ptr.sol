// expect: safe
pragma solidity >=0.8.0;
contract C {
    function () external s;
    uint x;
    function g() public returns (uint) { function () external f = this.inc; return x; }
    function inc() external { x += 1; }
    function t() public { uint y = x; assert(y == x); }
}
