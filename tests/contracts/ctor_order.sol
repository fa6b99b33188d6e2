// expect: safe
contract A { uint public x = 1; constructor(uint a) { x = a; } } contract B is A { uint public y = x + 1; constructor(uint b) A(b * 2) { y = y + x; } } contract C is B { constructor() B(5) {} function g() public view { assert(x == 10); } }
