// expect: safe
pragma solidity ^0.8.19;
type U is uint8;
using {add as +, eq as ==, lt} for U global;
function add(U a, U b) pure returns (U) { unchecked { return U.wrap(U.unwrap(a) + U.unwrap(b)); } }
function eq(U a, U b) pure returns (bool) { return U.unwrap(a) == U.unwrap(b); }
function lt(U a, U b) pure returns (bool) { return U.unwrap(a) < U.unwrap(b); }
contract C { U x; function f(U a) public { x = a + U.wrap(1); assert(x == U.wrap(0) || a.lt(x)); } }
