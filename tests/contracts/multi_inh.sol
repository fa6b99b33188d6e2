// expect: safe
pragma solidity >=0.8.0;
contract A { uint public n; function f() public virtual { n += 1; } }
contract B is A { function f() public virtual override { n += 2; super.f(); } }
contract D is A { function f() public virtual override { n += 4; super.f(); } }
contract C is B, D { function f() public override(B, D) { n = 0; super.f(); assert(n == 7); A.f(); assert(n == 8); } }
