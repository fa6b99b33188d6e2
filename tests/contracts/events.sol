// expect: safe
contract C { event E(uint indexed a, address b); uint x; function f() public { x = 1; emit E(x++, msg.sender); assert(x == 2); } }
