// expect: safe
contract D { uint public x; constructor(uint a) { x = a; } } contract C { function f(bytes32 s) public { D d = new D{salt: s}(4); assert(d.x() == 4); } }
