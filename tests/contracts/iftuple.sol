// expect: unsafe
pragma solidity ^0.8.0;
interface I { function l() external view returns (uint[] memory, string memory); } contract C { function f(I i) public view { (uint[] memory l, string memory t) = i.l(); assert(l.length == 0 && bytes(t).length == 0); } }
