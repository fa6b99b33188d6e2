// expect: safe
pragma solidity >=0.8.0;
contract C { function f() internal pure returns (uint a, bool b) { a = 3; } function h() internal pure returns (uint, uint) { return (1, 2); } function g() public pure { (uint x, bool y) = f(); assert(x == 3 && !y); (, uint z) = h(); assert(z == 2); uint p; uint q; (p, q) = h(); (p, q) = (q, p); assert(p == 2 && q == 1); } }
