// expect: unsafe
pragma solidity ^0.8.0;
contract W { uint need = 2; function change(uint n) public { require(msg.sender == address(this)); need = n; } function exec(address to, bytes calldata data) public { (bool ok,) = to.call(data); require(ok); } function h() public view { assert(need == 2); } }
