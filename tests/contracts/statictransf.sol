// expect: safe
pragma solidity ^0.8.0;
contract Token { mapping(address => uint) public balanceOf; function transfer(address to, uint v) public returns (bool) { balanceOf[msg.sender] -= v; balanceOf[to] += v; return true; } } contract C { Token t = new Token(); function f() public { uint b = t.balanceOf(address(this)); assert(b == 0); } }
