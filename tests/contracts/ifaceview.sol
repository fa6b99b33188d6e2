// expect: unsafe
interface T { function bal(address) external view returns (uint); }
contract C { T t; function f() public view { assert(t.bal(msg.sender) == t.bal(msg.sender)); } }
