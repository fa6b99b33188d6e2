// expect: safe
contract C { uint[] a; uint z; function f(uint i) public { uint y = a[i]; z = y; assert(i < a.length); } }
