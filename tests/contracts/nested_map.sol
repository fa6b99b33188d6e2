// expect: safe
pragma solidity >=0.8.0;
contract C {
    struct S { uint x; mapping(address => bool) seen; uint[] l; }
    mapping(uint => mapping(address => uint)) m; S[] ss; mapping(bytes32 => S) by;
    function f(uint a, address b, uint v) public { m[a][b] = v; uint w = m[a][b]; assert(w == v); if (a != 5) { m[5][b] = 9; assert(m[a][b] == v); } }
    function g() public { S storage s = ss.push(); s.x = 4; s.seen[msg.sender] = true; s.l.push(8); assert(ss[ss.length - 1].x == 4 && ss[ss.length - 1].seen[msg.sender] && ss[ss.length-1].l[0] == 8); }
    function h(bytes32 k) public { S storage s = by[k]; s.x = 1; by[k].x++; assert(s.x == 2); }
}
