// expect: unsafe
pragma solidity >=0.8.0;
interface O { function price() external view returns (uint); }
contract C { O o; constructor(O _o) { o = _o; } function f() public view { uint p = o.price(); uint q = o.price(); assert(p == 0 || q >= 0); assert(p < 1000); } }
