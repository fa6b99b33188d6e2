// expect: unsafe
pragma solidity ^0.8.0;
contract C { uint8 x; modifier m { x++; _; } function f() external m {} function h() public { try this.f() {} catch Panic(uint) { assert(false); } catch {} } }
