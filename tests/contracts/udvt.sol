// expect: safe
type Price is uint128;
contract C { function f(uint128 a) public pure { Price p = Price.wrap(a); assert(Price.unwrap(p) == a); } }
