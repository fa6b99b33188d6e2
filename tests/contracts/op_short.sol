// expect: safe
pragma solidity >=0.8.0;
contract C {
    uint x;
    function g() internal returns (bool) { x++; return true; }
    function f() public { x = 0; if (false && g()) {} assert(x == 0); if (true || g()) {} assert(x == 0); if (g() && !g()) { assert(false); } assert(x == 2); }
}
