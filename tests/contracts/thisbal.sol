// expect: unsafe
contract C { function f() public view { assert(address(this).balance == 0); } receive() external payable {} }
