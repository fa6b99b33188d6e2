// expect: safe
contract C { uint x; constructor() payable { x = msg.value; } function f() public view { assert(address(this).balance >= x); } }
