// expect: safe
pragma solidity ^0.5.0;
contract C { address owner; bool dead; constructor() public { owner = msg.sender; } function pay(address payable a) public { require(!dead); address o = owner; (bool ok, ) = a.call.value(1)(""); ok; assert(owner == o); } function stop() public { dead = true; } }
