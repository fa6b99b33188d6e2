// expect: safe
contract C { uint[4] a; function f(uint i, uint v) public { require(i < 4); a[i] = v; assert(a[i] == v); assert(a.length == 4); } }
