// expect: safe
contract C { uint r; function f() public payable { r = msg.value; assert(address(this).balance >= msg.value); } }
