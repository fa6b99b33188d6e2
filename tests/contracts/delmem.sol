// expect: safe
contract C { struct S { uint x; uint[] a; } function f() public pure { S memory s = S(3, new uint[](4)); delete s; assert(s.x == 0); assert(s.a.length == 0); uint[] memory b = new uint[](3); delete b; assert(b.length == 0); } }
