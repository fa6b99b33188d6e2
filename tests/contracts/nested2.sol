// expect: safe
contract C { mapping(address => mapping(uint => uint[])) m; function f(address a, uint k, uint v) public { m[a][k].push(v); assert(m[a][k][m[a][k].length - 1] == v); } }
