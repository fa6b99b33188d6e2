// expect: safe
contract C { uint8 x; function f() public { x = 200; unchecked { x += 100; } assert(x == 44); x <<= 1; assert(x == 88); x |= 1; assert(x == 89); x %= 10; assert(x == 9); x ^= 9; assert(x == 0); } }
