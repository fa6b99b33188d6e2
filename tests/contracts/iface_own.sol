// expect: safe
pragma solidity ^0.8.0;
interface I { function n() external view returns (uint); function g(uint k) external; } contract D { uint public n; address public w; function g(uint k) external { n = k; w = msg.sender; } } contract C { function f() public { D d = new D(); I i = I(address(d)); i.g(4); assert(i.n() == 4 && d.n() == 4 && d.w() == address(this)); } }
