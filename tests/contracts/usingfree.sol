// expect: safe
function twice(uint a) pure returns (uint) { return a + a; }
using {twice} for uint;
contract C { function f(uint a) public pure { require(a < 10); assert(a.twice() == 2*a); } }
