// expect: unsafe
interface I { function g() external returns (uint); }
contract C { I i; function f() public { uint x; try i.g() returns (uint y) { x = y; } catch { x = 7; } assert(x != 7); } }
