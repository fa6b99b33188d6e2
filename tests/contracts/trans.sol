// expect: safe
contract C { function f(address payable a) public payable { require(msg.value > 10); require(a != address(this)); uint b = address(this).balance; a.transfer(5); assert(address(this).balance == b - 5); } }
