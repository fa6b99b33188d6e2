// expect: safe
pragma solidity >=0.8.0;
contract D { uint public x; constructor(uint _x) { x = _x; } function s(uint _x) public { x = _x; } }
contract C {
    function f() public { D d = new D(42); assert(d.x() == 42); d.s(21); assert(d.x() == 21); }
}
