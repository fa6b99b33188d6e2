// expect: unsafe
pragma solidity ^0.8.0;
struct S { uint x; } interface I { function set(S memory s) external; } contract C { struct P { uint x; } uint public a; function set(P memory s) public { a = s.x; } } contract T { C c = new C(); function go() public { I(address(c)).set(S(5)); assert(c.a() != 5); } }
