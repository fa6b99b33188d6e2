// expect: safe
type W is uint128; using {add as +} for W global; function add(W a, W b) pure returns (W) { return W.wrap(W.unwrap(a) + W.unwrap(b)); } contract C { function f() public pure { W a = W.wrap(3); assert(W.unwrap(a + a) == 6); } }
