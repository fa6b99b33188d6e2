// expect: unsafe
pragma solidity >=0.8.0;
contract C {
    int public x;
    function d() external returns (int) { if (x < 0) revert(); x = 5; return x; }
    function g() public { x = 0; try this.d() returns (int c) { assert(c == 5); assert(x == 5); } catch { assert(false); } }
}
