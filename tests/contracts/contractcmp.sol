// expect: safe
contract D { }
contract C { D d; function f(D e) public { d = e; assert(address(d) == address(e)); assert(d == e); } }
