// expect: safe
pragma solidity >=0.8.0;
contract C { uint x; function f(address a) public { x = 4; (bool ok, ) = a.staticcall(""); ok; assert(x == 4); } }
