// expect: unsafe
pragma solidity ^0.8.0;
contract C { receive() external payable {} function f(address payable a) public { uint b = address(this).balance; (bool ok, ) = a.call{value: 1}(""); require(ok); assert(address(this).balance == b - 1); } }
