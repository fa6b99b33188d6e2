// expect: safe
pragma solidity >=0.8.0;
contract C {
    bytes data;
    function k(bytes memory _d) public { data = _d; bytes32 a = keccak256(data); bytes32 b = keccak256(_d); assert(a == b); }
    function s(bytes memory _d) public { data = _d; bytes32 a = sha256(data); bytes32 b = sha256(_d); assert(a == b); }
    function r(bytes memory _d) public { data = _d; bytes20 a = ripemd160(data); bytes20 b = ripemd160(_d); assert(a == b); }
}
