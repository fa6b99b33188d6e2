// expect: safe
pragma solidity ^0.4.24;
contract C {
    uint n; address owner = msg.sender;
    function() public payable { require(msg.value > 0); n += 1; if (n == 0) throw; }
    function kill() public { require(msg.sender == owner); selfdestruct(owner); }
    function f() public constant returns (uint r) { r = n; assert(r == n); }
    function Old() public { var x = 5; assert(x == 5); uint8 y = uint8(x); if (y != 5) { assert(false); } suicide(msg.sender); }
}
