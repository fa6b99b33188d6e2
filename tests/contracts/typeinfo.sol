// expect: safe
interface I { function a() external; }
contract D { }
contract C { function f() public pure { assert(type(I).interfaceId == type(I).interfaceId); bytes memory n = bytes(type(D).name); assert(n.length == 1); assert(type(D).creationCode.length == type(D).creationCode.length);} }
