// expect: safe
pragma solidity ^0.8.0;
contract C { uint x; function g() public { x = 2; } function f() public { x = 1; (bool ok,) = address(this).call(abi.encodeWithSignature("g()")); if (!ok) assert(x == 1); } }
