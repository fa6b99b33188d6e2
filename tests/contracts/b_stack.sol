// expect: unsafe
pragma solidity >=0.8.0;
contract Q { uint[] s; function push(uint a) public { s.push(a); } function pop() public { s.pop(); } function f() public view { assert(s.length != 2 || s[1] != 9); } }
