// expect: safe
pragma solidity >=0.8.0;
contract C {
    struct S { uint a; uint[] b; bool c; }
    S s; uint[] arr; mapping(uint => S) m;
    function f(uint x) public { s.a = x; s.b.push(x); s.c = true; delete s; assert(s.a == 0 && s.b.length == 0 && !s.c); }
    function g() public { arr.push(1); arr.push(2); delete arr[arr.length - 1]; assert(arr[arr.length - 1] == 0); delete arr; assert(arr.length == 0); }
    function h(uint k) public { m[k].a = 7; delete m[k]; assert(m[k].a == 0); }
}
