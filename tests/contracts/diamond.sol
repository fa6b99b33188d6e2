// expect: safe
contract A { uint public x; function g() public virtual { x = 1; } }
contract B is A { function g() public virtual override { super.g(); x += 10; } }
contract D is A { function g() public virtual override { super.g(); x *= 2; } }
contract E is B, D { function g() public override(B, D) { super.g(); } function f() public { g(); assert(x == 22); } }
