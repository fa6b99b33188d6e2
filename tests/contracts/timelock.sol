// expect: safe
contract C { uint unlock; constructor() { unlock = block.timestamp + 1 days; } function f() public view { if (block.timestamp >= unlock) { assert(block.timestamp >= 1 days); } } }
