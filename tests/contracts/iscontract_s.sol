// expect: safe
pragma solidity ^0.4.24;
library Address { function isContract(address account) internal view returns (bool) { uint256 size; assembly { size := extcodesize(account) } return size > 0; } }
contract C { using Address for address; bool open; function f(address a) public { require(!a.isContract()); require(a == address(this)); open = true; } function g() public view { assert(!open); } }
