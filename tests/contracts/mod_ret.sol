// expect: safe
pragma solidity >=0.8.0;
contract C {
    uint s;
    modifier m { if (s == 0) _; }
    function f() m public { assert(s == 0); }
    function g() public { s = 1; }
    modifier n(uint a) { require(a > 2); _; assert(a > 2); }
    function h(uint a) n(a) public pure { a = 0; }
}
