// expect: unsafe
pragma solidity >=0.8.0;
abstract contract State { function f() public virtual returns (uint); }
contract C {
    State s; uint z; uint y; constructor(State a) { s = a; }
    function g() public { z = s.f(); y = s.f(); assert(z == y); }
}
