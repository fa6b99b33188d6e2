// expect: safe
contract C { address o; constructor() { o = msg.sender; } function f() public view { assert(o != address(0)); } }
