// expect: safe
contract C { uint[] a; uint y; function f() public { require(a.length == 0); a.pop(); y = 1; } function g() public view { assert(y == 0); } }
