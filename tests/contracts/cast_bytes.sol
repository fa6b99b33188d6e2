// expect: safe
pragma solidity >=0.8.0;
contract C {
    function f() public pure {
        bytes2 a = 0x1234; bytes4 b = bytes4(a); assert(b == 0x12340000); bytes1 c = bytes1(b); assert(c == 0x12);
        uint32 u = uint32(b); assert(u == 0x12340000); uint16 v = uint16(uint32(0x12345678)); assert(v == 0x5678);
        assert(bytes1(uint8(65)) == "A"); bytes4 h = hex"cafecafe"; assert(uint32(h) == 0xcafecafe);
        assert(a[0] == 0x12); assert(a[1] == 0x34); assert(uint8(int8(-1)) == 255); assert(int8(uint8(200)) == -56);
        assert(bytes32(uint(1)) == bytes32(abi.encode(1)));
    }
}
