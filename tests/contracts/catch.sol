// expect: safe
pragma solidity ^0.8.0;
interface I { function g() external returns (uint); } contract C { uint x; function f(I i) public { try i.g() returns (uint v) { x = v; } catch Error(string memory r) { x = bytes(r).length; } catch Panic(uint c) { x = c; } catch (bytes memory b) { x = b.length; } assert(x >= 0); } }
