// expect: safe
contract C { mapping(string => uint) m; function f(string memory s) public { m[s] = 4; assert(m[s] == 4); m["abc"] = 5; assert(m["abc"] == 5); } }
