// expect: safe
pragma solidity >=0.8.0;
contract Q { mapping(uint => address) q; uint first = 1; uint last; function push(address a) public { last += 1; q[last] = a; } function pop() public returns (address a) { require(last >= first); a = q[first]; delete q[first]; first += 1; assert(first <= last + 1); } }
