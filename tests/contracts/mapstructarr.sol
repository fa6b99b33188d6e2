// expect: safe
pragma solidity ^0.8.0;
contract C { struct P { address who; uint[] votes; mapping(uint => bool) seen; } mapping(address => P) ps; function f(uint v) public { P storage p = ps[msg.sender]; p.who = msg.sender; p.votes.push(v); p.seen[v] = true; assert(ps[msg.sender].seen[v]); delete ps[msg.sender]; assert(ps[msg.sender].votes.length == 0); assert(ps[msg.sender].seen[v]); } }
