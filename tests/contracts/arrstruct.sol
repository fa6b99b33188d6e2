// expect: safe
pragma solidity ^0.8.0;
contract C { struct S { uint a; bool b; } function f(S[] calldata s) external pure returns (uint n) { for (uint i = 0; i < s.length; i++) { if (s[i].b) { n = s[i].a; assert(n == s[i].a); } } } }
