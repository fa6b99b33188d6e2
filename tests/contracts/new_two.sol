// expect: unsafe
pragma solidity >=0.8.0;
contract D { uint public x; function s(uint _x) public { x = _x; } }
contract C {
    D d;
    constructor() { d = new D(); assert(d.x() == 0); }
    function g() public view { assert(d.x() == 0); }
    function h() public { d.s(5); }
}
