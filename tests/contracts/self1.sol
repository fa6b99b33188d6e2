// expect: unsafe
pragma solidity ^0.8.0;
contract C { uint x; function g() public { require(msg.sender == address(this)); x = 1; } function f() public { (bool ok,) = address(this).call(abi.encodeWithSignature("g()")); require(ok); } function h() public view { assert(x == 0); } }
