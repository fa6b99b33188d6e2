// expect: unsafe
contract D { uint public v; constructor(uint a) { v = a; } function set(uint a) public { v = a; } }
contract C { D d; constructor() { d = new D(4); } function g(uint a) public { d.set(a); } function f() public view { assert(d.v() == 4); } }
