// expect: unsafe
pragma solidity ^0.4.24;
contract Token { mapping(address => uint256) balances; uint total; constructor(uint s) public { balances[msg.sender] = s; total = s; }
 function transfer(address to, uint v) external { require(balances[msg.sender] - v >= 0); balances[msg.sender] -= v; balances[to] += v; assert(balances[to] <= total || to == msg.sender); } }
