// expect: safe
pragma solidity ^0.8.0;
contract C { uint x; function k() public { require(msg.sender == address(this)); x = 1; } function g() public {} function f() public { (bool ok,) = address(this).call(abi.encodeWithSignature("g()")); require(ok); } function h() public view { assert(x == 0); } }
