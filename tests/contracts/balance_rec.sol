// expect: safe
pragma solidity >=0.8.0;
contract C {
    uint c;
    receive() external payable { c += msg.value; }
    function inv() public view { assert(address(this).balance >= c); }
}
