// expect: unsafe
contract C { mapping(address => uint) b; constructor() { b[msg.sender] = 1000; } function tr(address to, uint v) public { uint x = b[msg.sender]; uint y = b[to]; require(x >= v); b[msg.sender] = x - v; b[to] = y + v; assert(b[msg.sender] + b[to] == x + y); } }
