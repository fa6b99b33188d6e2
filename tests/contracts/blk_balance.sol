// expect: safe
pragma solidity >=0.8.0;
contract C {
    constructor() payable { assert(address(this).balance >= msg.value); }
    function f() public payable { assert(address(this).balance >= msg.value); }
}
