// expect: safe
pragma solidity ^0.4.24;
library SafeMath { function sub(uint256 a, uint256 b) internal pure returns (uint256) { assert(b <= a); return a - b; } function add(uint256 a, uint256 b) internal pure returns (uint256 c) { c = a + b; assert(c >= a || c < a); return c; } }
interface ERC20 { function transfer(address to, uint v) external returns (bool); event Transfer(address indexed f, address indexed t, uint v); }
contract Token is ERC20 { using SafeMath for uint256; mapping(address => uint256) balances; uint8 public constant decimals = 18; string public name = "T";
 constructor(uint s) public { balances[msg.sender] = s; }
 function transfer(address to, uint v) external returns (bool) { require(to != address(0)); require(v <= balances[msg.sender]); balances[msg.sender] = balances[msg.sender].sub(v); balances[to] = balances[to].add(v); emit Transfer(msg.sender, to, v); return true; } }
