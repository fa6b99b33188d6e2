// expect: safe
pragma solidity ^0.8.0;
interface I { struct S { uint a; uint b; } function s() external returns (S memory); function l() external view returns (uint[] memory); } contract C { function f(I i) public { I.S memory s = i.s(); s.a = 1; assert(s.a == 1); uint[] memory l = i.l(); require(l.length > 0); l[0] = 2; assert(l[0] == 2); } }
