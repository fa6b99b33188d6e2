// expect: safe
pragma solidity >=0.8.0;
contract C {
    uint[] a;
    function f() public { uint i; for (i = 0; i < 10; ++i) a.push(); assert(a.length >= 10); }
    function g() public { require(a.length > 0); uint l = a.length; a.pop(); assert(a.length == l - 1); }
}
