// expect: safe
pragma solidity ^0.8.0;
contract C { uint x; uint y; function g() public { y = 1; } function k() public { x = 1; } function f() public { require(x == 0); (bool ok,) = address(this).call(abi.encodeWithSignature("g()")); if (ok) assert(x == 0); } }
