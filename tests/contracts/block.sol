// expect: safe
contract C { uint t; constructor() { t = block.timestamp; } function f() public view { assert(block.timestamp >= t); assert(block.chainid == block.chainid); } }
