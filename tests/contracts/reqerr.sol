// expect: safe
contract C { function f(uint a) public pure { require(a < 5, "too big"); assert(a < 5); } function g() public pure { revert("no"); assert(false); } }
