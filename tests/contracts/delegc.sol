// expect: unsafe
pragma solidity >=0.8.0;
contract C { uint x; function f(address a) public { x = 0; (bool ok, ) = a.delegatecall(""); ok; assert(x == 0); } }
