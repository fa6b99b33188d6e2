// expect: safe
interface I { function a() external; function b(uint) external; } contract C { function f() public pure { assert(type(I).interfaceId == (I.a.selector ^ I.b.selector)); } }
