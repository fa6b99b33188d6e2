// expect: safe
contract C { function () internal h; uint x; function one() internal { x = 1; } function two() internal { x = 2; } constructor() { h = one; }
 function sw() public { h = two; } function run() public { h(); assert(x == 1 || x == 2); } }
