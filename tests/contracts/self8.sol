// expect: unsafe
pragma solidity ^0.8.0;
contract W { bool lock; uint need = 2; function change() public { require(msg.sender == address(this)); need = 3; } function exec(bytes calldata data) public { require(!lock); lock = true; (bool ok,) = address(this).call(data); require(ok); lock = false; } function h() public view { assert(need == 2); } }
