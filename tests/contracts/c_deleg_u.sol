// expect: unsafe
pragma solidity ^0.5.0;
contract C { address owner; constructor() public { owner = msg.sender; } function g(address a) public { a.delegatecall(""); } function pay(address payable a) public { address o = owner; (bool ok, ) = a.call.value(1)(""); ok; assert(owner == o); } }
