// expect: safe
interface I { function g() external returns (uint); }
contract C { I i; uint s; function f() public { bool a; try i.g() returns (uint y) { a = y >= 0; } catch Error(string memory) { a = true; } catch (bytes memory) { a = true; } assert(a); } }
