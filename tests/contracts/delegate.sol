// expect: unsafe
contract C { uint x; function f(address a) public { x = 0; (bool ok, ) = a.delegatecall(""); require(ok); assert(x == 0); } }
