// expect: unsafe
pragma solidity >=0.8.0;
contract C {
    uint c;
    constructor() payable { require(msg.value > 100); }
    function f(address payable a, uint x) public { require(c < 3); c++; require(x <= 50); a.transfer(x); }
    function inv() public view { assert(address(this).balance > 0 || c < 2); }
}
