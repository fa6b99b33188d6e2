// expect: safe
pragma solidity >=0.8.0;
contract C { event E(uint indexed a, bytes b); uint n; function f(bytes calldata b) public { emit E(n, b); n = n + 1; emit E({a: n, b: b}); assert(n > 0); } }
