// expect: safe
pragma solidity >=0.8.0;
contract C {
    function g() internal view { assert(msg.sender == msg.sender); }
    function f() public payable { assert(msg.value >= 0); h(msg.value); }
    function h(uint v) internal pure { assert(v <= type(uint).max); }
}
