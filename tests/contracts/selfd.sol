// expect: safe
contract C { uint x; function f(address payable a) public { x = 1; selfdestruct(a); assert(false); } }
