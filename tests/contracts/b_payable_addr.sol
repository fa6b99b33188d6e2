// expect: unsafe
pragma solidity >=0.8.0;
contract C { function f(address payable a) public payable { uint b = address(this).balance; a.transfer(msg.value); assert(address(this).balance == b); } }
