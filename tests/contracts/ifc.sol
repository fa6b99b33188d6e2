// expect: unsafe
interface I { function v() external view returns (uint); } contract C { function f(I i) public view { assert(i.v() == i.v()); } }
