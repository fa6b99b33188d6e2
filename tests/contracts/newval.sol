// expect: safe
contract D { uint public v; constructor() payable { v = msg.value; } }
contract C { function f() public payable { require(msg.value == 10); D d = new D{value: 10}(); assert(d.v() == 10); } }
