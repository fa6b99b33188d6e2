// expect: safe
pragma solidity ^0.8.19;
type U is uint8; using {add as +, eq as ==} for U global; function add(U a, U b) pure returns (U) { return U.wrap(U.unwrap(a) / 2 + U.unwrap(b) / 2); } function eq(U a, U b) pure returns (bool) { return U.unwrap(a) == U.unwrap(b); } contract C { function f(U a) public pure { assert(a + a == U.wrap(U.unwrap(a) / 2 * 2)); } }
