// expect: unsafe
pragma solidity >=0.8.0;
contract V { struct P { uint votes; bool open; } P[] ps; mapping(address => mapping(uint => bool)) voted; enum S { Setup, Run, Done } S s;
 modifier at(S x) { require(s == x); _; }
 function add() external at(S.Setup) { ps.push(P({votes: 0, open: true})); } function next() external { require(s != S.Done); s = S(uint8(s) + 1); }
 function vote(uint i) external at(S.Run) { require(!voted[msg.sender][i] && ps[i].open); voted[msg.sender][i] = true; ps[i].votes++; assert(ps[i].votes < 2); } }
