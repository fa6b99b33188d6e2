// expect: safe
contract C { uint t; mapping(address => uint) m; function mint(uint v) public { require(t + v < 1e30); t += v; m[msg.sender] += v; } function f() public view { assert(t < 1e30); } }
