// expect: safe
pragma solidity >=0.8.0;
abstract contract A { uint x; constructor(uint a) { x = a; } function v() internal view virtual returns (uint); function t() public view { assert(v() == x + 1); } }
abstract contract B is A { constructor(uint b) A(b + 1) {} }
contract C is B { constructor() B(3) { assert(x == 4); } function v() internal pure override returns (uint) { return 5; } }
