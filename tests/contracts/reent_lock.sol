// expect: safe
contract C { bool l; uint x; modifier lock() { require(!l); l = true; _; l = false; } function f(address a) public lock { uint y = x; (bool ok, ) = a.call(""); ok; assert(x == y); } function g() public lock { x++; } }
