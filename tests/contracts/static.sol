// expect: safe
contract C { uint x; function s() public { x = 5; } function f(address a) public { x = 0; (bool ok, ) = a.staticcall(""); require(ok); assert(x == 0); } }
