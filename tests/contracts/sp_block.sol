// expect: unsafe
pragma solidity >=0.8.0;
contract C {
    uint t;
    function f() public { t = block.timestamp; }
    function g() public view { assert(block.timestamp == t || t == 0); }
}
