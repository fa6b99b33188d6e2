// expect: safe
pragma solidity ^0.4.18;
contract Owned { address public owner; function Owned() public { owner = msg.sender; } modifier onlyOwner { require(msg.sender == owner); _; } function transferOwnership(address n) onlyOwner public { require(n != 0x0); owner = n; } }
contract C is Owned { mapping (address => uint256) balances; uint supply; function C() public { supply = 1000 * 10 ** 18; balances[msg.sender] = supply; }
 function f() public view { assert(supply == 1000 ether); assert(owner != 0x0); } }
