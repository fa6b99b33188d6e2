// expect: safe
pragma solidity >=0.8.0;
contract C {
    string s; bytes b;
    function f(string memory t) public { s = t; assert(keccak256(bytes(s)) == keccak256(bytes(t))); b = bytes(t); assert(b.length == bytes(s).length); }
    function g() public { s = "abc"; assert(bytes(s).length == 3); assert(bytes(s)[1] == "b"); b = hex"001122"; b.push(0x33); assert(b.length == 4); assert(b[3] == 0x33); b.pop(); assert(b[2] == 0x22); }
}
