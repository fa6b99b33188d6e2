// expect: safe
contract C { uint[2] a; function f(uint x, uint y) public { a[0] = x; a[1] = y; (a[0], a[1]) = (a[1], a[0]); assert(a[0] == y && a[1] == x); } }
