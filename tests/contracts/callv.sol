// expect: unsafe
contract C { uint x; function s() public { x = 5; } function f(address a) public { x = 0; (bool ok, ) = a.call{value: 1}(""); require(ok); assert(x == 0); } }
