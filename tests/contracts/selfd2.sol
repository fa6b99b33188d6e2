// expect: unsafe
contract C { uint x; function f(address payable a) public { if (x == 0) selfdestruct(a); assert(x == 0); } function g() public { x = 1; } }
