// expect: safe
pragma solidity >=0.8.0;
contract C { uint private x; uint private y; function g() private { x++; y++; } function f() external { g(); } function h() external { if (x > 0) { x--; y--; } } function inv() external view { assert(x == y); } }
