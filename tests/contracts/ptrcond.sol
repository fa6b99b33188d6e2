// expect: safe
pragma solidity ^0.8.0;
contract C { uint[] a; uint[] b; function f(bool c) public { uint[] storage p = c ? a : b; p.push(1); assert(c ? a.length > 0 : b.length > 0); } }
