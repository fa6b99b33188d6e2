// expect: safe
pragma solidity >=0.8.0;
contract C {
    function f(uint x) public pure {
        require(x < 5);
        uint i = 0;
        while (i < 20) { if (i == x) break; i = i + 1; }
        assert(i == x);
    }
    function g(bool b, uint n) public pure { uint s; require(n < 4); for (uint i; i < n; ++i) { if (b) continue; s++; } assert(b ? s == 0 : s == n); }
}
