// expect: safe
pragma solidity >=0.8.0;
contract L { struct N { uint next; uint v; } mapping(uint => N) n; uint head; uint count; function add(uint v) public { count++; n[count] = N(head, v); head = count; assert(n[head].v == v); } function f() public view { assert(head == count); } }
