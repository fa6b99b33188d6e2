// expect: safe
contract C { struct I { mapping(address => mapping(uint => uint)) m; uint[] l; } struct S { I i; bool b; } mapping(uint => S) s; function f(address a, uint k) public { s[k].i.m[a][k] = 9; s[k].i.l.push(3); s[k].b = true; assert(s[k].i.m[a][k] == 9 && s[k].i.l[s[k].i.l.length - 1] == 3); } }
