// expect: safe
contract O { address owner; modifier only() { require(msg.sender == owner); _; } constructor() { owner = msg.sender; } function give(address n) public only { require(n != address(0)); owner = n; } } contract C is O { uint x; function s() public only { x = 1; assert(owner == msg.sender); } function ck() public view { assert(owner != address(0)); } }
