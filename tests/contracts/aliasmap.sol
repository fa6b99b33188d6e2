// expect: unsafe
contract C { mapping(uint => uint) m; function f(uint a, uint b) public { m[a] = 1; m[b] = 2; assert(m[a] == 1); } }
