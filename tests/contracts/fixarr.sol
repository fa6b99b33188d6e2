// expect: safe
contract C { uint[3] a; function f(uint i) public { a[i] = 5; assert(i < 3); assert(a.length == 3); } }
