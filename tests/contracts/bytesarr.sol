// expect: safe
pragma solidity ^0.8.0;
contract C { bytes32[] hs; bytes[] bs; function f(bytes32 h, bytes calldata b) external { hs.push(h); bs.push(b); assert(bs[bs.length - 1].length == b.length); assert(hs[hs.length - 1] == h); } }
