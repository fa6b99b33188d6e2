// expect: safe
contract C { function f(address a) public pure { assert(address(uint160(a)) == a); assert(uint160(address(0x10)) == 16); assert(address(bytes20(a)) == a); assert(payable(a) == a);} }
