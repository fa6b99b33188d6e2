// expect: safe
contract C { function a() internal pure returns (uint) { return 7; } function pick() internal pure returns (function () internal pure returns (uint)) { return a; }
 function f() public pure { assert(pick()() == 7); } }
