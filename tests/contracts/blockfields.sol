// expect: safe
contract C { function f() public view { uint a = block.gaslimit; uint b = block.gaslimit; assert(a == b); assert(block.basefee == block.basefee); assert(block.prevrandao == block.prevrandao); } }
