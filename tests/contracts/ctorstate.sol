// expect: safe
contract A { uint internal a = 1; uint internal b = a + 1; }
contract C is A { uint c = b * 2; constructor() { assert(c == 4); } function f() public view { assert(a == 1 && b == 2 && c == 4); } }
