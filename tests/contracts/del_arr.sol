// expect: safe
contract C { uint[] a; uint[3] b; function f() public { a.push(1); delete a; assert(a.length == 0); b[1] = 4; delete b[1]; assert(b[1] == 0); } }
