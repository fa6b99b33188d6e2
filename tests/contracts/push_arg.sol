// expect: safe
contract C { uint[][] a; function f(uint x) public { uint[] memory m = new uint[](2); m[1] = x; a.push(m); assert(a[a.length-1][1] == x && a[a.length-1].length == 2); } }
