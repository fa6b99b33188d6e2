// expect: safe
pragma solidity ^0.8.0;
contract C { mapping(uint => bool) x; error Bad(); modifier m { _; } function v() internal virtual {} function f() external m { v(); } function g(bool a) external pure { if (a) revert Bad(); } function h(bool a) public { try this.f() {} catch Error(string memory) { assert(false); } catch Panic(uint) { assert(false); } catch {} try this.g(a) {} catch Error(string memory) { assert(false); } catch {} } }
