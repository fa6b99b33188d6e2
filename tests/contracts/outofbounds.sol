// expect: safe
contract C { uint[] a; function f(uint i) public { a.push(1); if (i >= a.length) { a[i] = 2; assert(false); } } }
