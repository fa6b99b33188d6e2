// expect: unsafe
contract C { uint a; function s() public { a = block.gaslimit; } function f() public view { require(a != 0); assert(a == block.gaslimit); } }
