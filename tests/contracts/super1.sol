// expect: safe
contract A { uint x; function f() public virtual { x += 1; } } contract B is A { function f() public virtual override { x += 10; super.f(); } } contract D is A { function f() public virtual override { x += 100; super.f(); } }
contract C is B, D { function f() public override(B, D) { uint y = x; require(y < 1000); super.f(); assert(x == y + 111); } }
