// expect: safe
pragma solidity >=0.8.0;
contract C {
    address o;
    constructor() { o = msg.sender; }
    function f() public view returns (uint) { require(msg.sender == o); assert(msg.sender != address(0)); return msg.data.length; }
    function g() public view { assert(msg.sig == this.g.selector); assert(msg.data.length >= 4); }
}
