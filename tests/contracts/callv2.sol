// expect: safe
contract C { uint x; bool l; modifier n() { require(!l); l = true; _; l = false; } function s() public n { x = 5; } function f(address a) public n { x = 0; (bool ok, ) = a.call(""); require(ok); assert(x == 0); } }
