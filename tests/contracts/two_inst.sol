// expect: safe
contract D { uint public x; function set(uint a) public { x = a; } } contract C { D a = new D(); D b = new D(); function f() public { a.set(1); b.set(2); assert(a.x() == 1 && b.x() == 2 && address(a) != address(b)); } }
