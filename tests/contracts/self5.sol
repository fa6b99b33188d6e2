// expect: safe
pragma solidity ^0.8.0;
contract C { uint x; function g() public { require(msg.sender == address(this)); x = 1; } function f(address a) public { require(a != address(this)); (bool ok,) = a.call(""); require(ok); } function h() public view { assert(x == 0); } }
