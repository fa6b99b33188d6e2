// expect: safe
contract A { uint x; constructor(uint a) { x = a; } function g() public virtual returns (uint) { return 1; } }
contract B is A { constructor() A(3) {} function g() public virtual override returns (uint) { return super.g() + 1; } }
contract D is A { constructor() A(4) {} function g() public virtual override returns (uint) { return super.g() * 10; } }
contract E is B { function f() public { assert(x == 3); assert(g() == 2); } }
