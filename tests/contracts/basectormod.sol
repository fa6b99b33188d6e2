// expect: safe
abstract contract A { uint x; modifier only { require(x > 0); _; } constructor(uint v) { x = v; } function g() internal virtual; function f() public only { uint o = x; g(); assert(x == o); } }
contract C is A { constructor(uint q) A(q + 1) { } function g() internal override { } }
