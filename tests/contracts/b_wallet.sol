// expect: safe
pragma solidity ^0.5.0;
contract Owned { address payable owner; constructor() public { owner = msg.sender; } modifier only() { require(msg.sender == owner, "no"); _; } }
contract Pausable is Owned { bool paused; event Paused(bool p); modifier running() { require(!paused); _; } function pause(bool p) external only { paused = p; emit Paused(p); } }
contract Wallet is Pausable { uint limit = 1 ether; mapping(address => uint) spent; 
 function pay(address payable to, uint v) external only running { require(v <= limit && spent[to] + v >= v && spent[to] + v <= limit); spent[to] += v; to.transfer(v); assert(spent[to] <= limit); }
 function () external payable {} function kill() external only { selfdestruct(owner); } }
