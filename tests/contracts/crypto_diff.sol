// expect: unsafe
pragma solidity >=0.8.0;
contract C {
    function e(bytes32 h1, uint8 v1, bytes32 r1, bytes32 s1, bytes32 h2, uint8 v2, bytes32 r2, bytes32 s2) public pure {
        address a1 = ecrecover(h1, v1, r1, s1);
        address a2 = ecrecover(h2, v2, r2, s2);
        assert(a1 != a2);
    }
}
