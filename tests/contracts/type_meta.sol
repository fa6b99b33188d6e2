// expect: safe
pragma solidity >=0.8.0;
interface I { function a() external; }
contract D {}
contract C {
    function f() public pure { assert(type(uint8).max == 255); assert(type(int16).min == -32768); bytes memory b = type(D).creationCode; bytes memory c = type(D).creationCode; assert(b.length == c.length); assert(keccak256(bytes(type(D).name)) == keccak256("D")); assert(type(I).interfaceId == I.a.selector); }
}
