// expect: safe
contract C { function f(bytes calldata d) public pure { require(d.length >= 4); bytes calldata s = d[2:4]; assert(s.length == 2); assert(s[0] == d[2]); } }
