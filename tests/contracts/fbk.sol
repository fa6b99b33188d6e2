// expect: safe
pragma solidity ^0.8.0;
contract C { uint x; fallback(bytes calldata d) external returns (bytes memory) { x = d.length; assert(x == msg.data.length); return d; } }
