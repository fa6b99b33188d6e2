// expect: safe
pragma solidity >=0.8.0;
contract A { address payable public best; uint public high; mapping(address => uint) back; bool ended; uint immutable end; error TooLate(); error TooLow(uint high);
 constructor(uint t) { end = block.timestamp + t; }
 function bid() external payable { if (block.timestamp > end) revert TooLate(); if (msg.value <= high) revert TooLow(high); if (high != 0) back[best] += high; best = payable(msg.sender); uint old = high; high = msg.value; assert(high > old); }
 function withdraw() external returns (bool) { uint a = back[msg.sender]; if (a > 0) { back[msg.sender] = 0; if (!payable(msg.sender).send(a)) { back[msg.sender] = a; return false; } } return true; }
 function close() external { require(block.timestamp >= end && !ended); ended = true; best.transfer(high); assert(ended); } }
