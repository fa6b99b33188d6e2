// expect: unsafe
pragma solidity ^0.8.0;
contract B { function v() internal virtual {} function f() external { v(); } function h() public { try this.f() {} catch Error(string memory) { assert(false); } catch {} } } contract C is B { function v() internal override { require(msg.sender != address(this), "own"); } }
