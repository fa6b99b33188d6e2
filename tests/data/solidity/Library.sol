pragma solidity >=0.8.8;

library L {
    struct S { uint n; mapping(uint => uint) m; }
    function put(S storage s) internal { s.n = 2; s.m[s.n] = 7; assert(s.n > 0 && s.m[2] == 7); }
    function wrong(S storage s) internal { s.n = 5; assert(s.n == 4); }
    function unknown(S storage s, address a) internal { s.n = 1; (bool ok, ) = a.call(""); ok; assert(s.n == 1); }
}

contract Library {
    uint public constant K = 3;

    function getter() public view { assert(this.K() == 3); }
    function first() public pure { assert(bytes32(abi.encode(uint(1))) == bytes32(uint(1))); }
    function short() public pure { assert(bytes4(abi.encodePacked(uint8(1))) == 0x01000000); }
    function shifted() public pure { assert(bytes4(abi.encodePacked(uint8(1))) == 0x00000001); }
}
