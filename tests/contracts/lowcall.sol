// expect: unsafe
pragma solidity >=0.8.0;
contract C { uint x; function s(uint a) public { x = a; } function f(address a) public { x = 0; (bool ok, bytes memory r) = a.call(""); assert(x == 0); assert(r.length == 0 || ok || !ok); } }
