// expect: safe
pragma solidity >=0.8.0;
contract C {
    function f(uint[] calldata a, uint i) external pure { require(i < a.length); uint[] memory m = a; assert(m[i] == a[i]); assert(m.length == a.length); uint[] calldata s = a[i:]; assert(s.length == a.length - i); assert(s[0] == a[i]); }
    struct T { uint a; bool b; }
    function g(T calldata t) external pure { T memory m = t; m.a = 3; assert(m.b == t.b); }
}
