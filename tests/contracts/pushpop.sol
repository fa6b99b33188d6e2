// expect: safe
contract C { uint[] a; function f(uint v) public { a.push(v); uint l = a.length; a.pop(); assert(a.length == l - 1); a.push() = 7; assert(a[a.length - 1] == 7); } }
