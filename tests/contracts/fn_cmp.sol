// expect: safe
contract C { function a() internal pure {} function b() internal pure {} function f() public pure { function () internal pure g = a; assert(g == a); g = b; assert(g != a); } }
