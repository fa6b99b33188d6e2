// expect: unsafe
pragma solidity >=0.8.0;
contract C {
    function f(uint x) public pure { do { ++x; if (x > 10) { x = 3; break; } } while (x < 12); assert(x > 3); }
}
