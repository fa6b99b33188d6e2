// expect: unsafe
contract C { function f(address payable a) public payable { uint b = address(this).balance; require(b > 10); a.transfer(5); assert(address(this).balance == b - 5); } }
