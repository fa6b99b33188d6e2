// expect: unsafe
contract C { address owner; constructor() { owner = msg.sender; } function claim() public { owner = msg.sender; } function f() public view { require(msg.sender == owner); assert(block.number == 0); } }
