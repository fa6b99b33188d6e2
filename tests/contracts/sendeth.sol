// expect: unsafe
contract C { constructor() payable {} function f(address payable a) public { uint b = address(this).balance; require(b >= 5); a.transfer(5); assert(address(this).balance == b); } }
