// expect: unsafe
pragma solidity >=0.8.0;
abstract contract D { function d() external virtual; }
contract C {
    uint x; D d; bool lock; constructor(D a) { d = a; }
    modifier mutex { require(!lock); lock = true; _; lock = false; }
    function set(uint y) public { x = y; }
    function f() mutex public { uint y = x; d.d(); assert(y == x); }
}
