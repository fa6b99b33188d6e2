// expect: safe
contract C { enum E { A, B, D } uint y; function f(uint x) public { require(x > 2); E e = E(x); y = uint(e); } function g() public view { assert(y == 0); } }
