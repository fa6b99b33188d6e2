// expect: unsafe
pragma solidity >=0.8.0;
contract C {
    function inv() public view { assert(address(this).balance == 0); }
}
