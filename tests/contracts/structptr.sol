// expect: safe
contract C { struct S { uint a; uint b; } mapping(uint => S) m; function f(uint k) public { S storage s = m[k]; s.a = 5; assert(m[k].a == 5); delete m[k]; assert(s.a == 0); } }
