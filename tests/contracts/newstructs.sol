// expect: safe
pragma solidity ^0.8.0;
contract C { struct S { uint v; } function f(uint n) public pure { require(n > 1 && n < 5); S[] memory s = new S[](n); s[0].v = 1; s[1].v = 2; assert(s[0].v == 1); assert(s.length == n); } }
