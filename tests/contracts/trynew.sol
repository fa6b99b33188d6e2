// expect: safe
contract D { uint public v; constructor(uint x) { require(x > 0); v = x; } }
contract C { function f(uint x) public { bool ok; try new D(x) returns (D d) { ok = true; assert(d.v() == x); } catch { ok = false; } assert(!ok || x > 0); } }
