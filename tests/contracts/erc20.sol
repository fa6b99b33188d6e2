// expect: safe
contract C { mapping(address => uint) b; uint public total; constructor() { total = 1000; b[msg.sender] = 1000; } function tr(address to, uint v) public { require(b[msg.sender] >= v); b[msg.sender] -= v; b[to] += v; } function ck() public view { assert(total == 1000); } }
