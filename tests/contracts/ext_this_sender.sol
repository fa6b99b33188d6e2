// expect: unsafe
pragma solidity >=0.8.0;
contract C { address last; function g() external { last = msg.sender; } function f() public { this.g(); assert(last == msg.sender); } }
