// expect: safe
contract D { uint public v; constructor(uint a) { v = a; } function set(uint a) public { v = a; } }
contract C { D d; constructor() { d = new D(4); } function f() public view { D e = d; assert(address(e) != address(0)); } }
