// expect: safe
contract C { function f(uint a, bool b) public pure { uint c = b ? a : 0; assert(c <= a); (uint d, uint e) = b ? (1, 2) : (3, 4); assert(d < e); } }
