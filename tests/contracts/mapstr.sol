// expect: safe
contract C { mapping(string => uint) m; function f(string memory k) public { m[k] = 3; assert(m[k] == 3); assert(m["zz"] == 0 || m["zz"] == 3); } }
