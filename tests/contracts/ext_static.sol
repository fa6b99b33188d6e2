// expect: safe
pragma solidity >=0.8.0;
abstract contract Crypto { function hash(bytes32) external pure virtual returns (bytes32); }
contract C {
    address owner; bytes32 sig_1; bytes32 sig_2; Crypto d; function use(Crypto a) public { d = a; }
    constructor() { owner = msg.sender; }
    function f1(bytes32 _msg) public {
        address prevOwner = owner;
        sig_1 = d.hash(_msg);
        sig_2 = d.hash(_msg);
        assert(prevOwner == owner);
    }
}
