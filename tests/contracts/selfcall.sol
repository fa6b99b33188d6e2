// expect: unsafe
pragma solidity ^0.8.0;
contract C { uint x; function g() public { x = 1; } function f() public { (bool ok,) = address(this).call(abi.encodeWithSignature("g()")); require(ok); assert(x == 0); } }
