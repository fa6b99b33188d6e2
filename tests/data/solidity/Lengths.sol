pragma solidity ^0.5.0;

contract Lengths {
    struct Box { uint v; }
    uint[] list;
    Box[] boxes;

    function cut() public { list.length = 3; list[2] = 1; list.length--; assert(list.length == 2); list.length += 1; assert(list[2] == 0); }
    function cutBox() public { boxes.length = 1; boxes[0].v = 7; boxes.length -= 1; boxes.length++; assert(boxes[0].v == 0); }
    function kept(uint n) public { list.length = 2; list[0] = 1; list.length = n; require(n > 0); assert(list.length == n); assert(n < 2 || list[0] == 1); }
    function lost(uint n) public { list.length = 3; list[0] = 1; list.length = n; require(n == 1); assert(list[0] == 0); }
    function hashed(uint a, address b) public pure { assert(keccak256(abi.encodePacked(a, b)) == keccak256(abi.encodePacked(a, b))); }
}
