// expect: safe
contract C { uint[] a; function f() public view returns (uint s) { for (uint i = 0; i < a.length; i++) { s += a[i] > 0 ? 1 : 0; } assert(s <= a.length); } }
