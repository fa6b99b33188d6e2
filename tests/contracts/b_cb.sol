// expect: unsafe
pragma solidity >=0.8.0;
interface R { function on(uint) external returns (bytes4); }
contract C { mapping(uint => address) own; uint n; bool busy; function mint(address to) public { uint id = n; n++; own[id] = to; busy = true; if (to.code.length > 0) { require(R(to).on(id) == R.on.selector); } busy = false; assert(own[id] == to); } function burn(uint id) public { require(own[id] == msg.sender); delete own[id]; } }
