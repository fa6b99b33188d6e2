// expect: safe
contract C { uint x; function f(uint[2][] calldata a) external { require(a.length > 0); x = a[0][0]; assert(x == a[0][0]); } }
