// expect: unsafe
contract C { address immutable o; constructor() { o = msg.sender; } function f() public view { assert(msg.sender == o); } }
