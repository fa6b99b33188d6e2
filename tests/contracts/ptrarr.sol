// expect: safe
contract C { uint[] a; uint[] b; function f() public { uint[] storage p = a; p.push(1); assert(a.length > 0); p = b; p.push(2); assert(b[b.length-1] == 2); } }
