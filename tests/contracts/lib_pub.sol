// expect: safe
library L { function inc(uint[] storage a) public { a.push(1); } } contract C { using L for uint[]; uint[] a; function f() public { uint n = a.length; a.inc(); assert(a.length == n + 1); } }
