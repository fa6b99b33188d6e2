// expect: safe
pragma solidity >=0.8.0;
contract D { uint public constant K = 3; }
contract C { uint public constant K = 5; D d = new D(); function f() public view { assert(this.K() == 5); assert(d.K() == 3); } }
