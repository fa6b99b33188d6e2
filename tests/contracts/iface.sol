// expect: unsafe
interface T { function bal(address) external view returns (uint); function mv(address, uint) external returns (bool); }
contract C { T t; uint y; constructor(T a) { t = a; } function g(uint v) public { y = v; } function f() public { y = 1; uint a = t.bal(msg.sender); assert(y == 1); t.mv(msg.sender, a); assert(y == 1); } }
