// expect: safe
pragma solidity >=0.8.0;
contract C {
    uint c;
    function g() internal returns (uint) { return ++c; }
    function f(bool b) public { require(c < 100); uint o = c; uint d = b ? g() : o; assert(c == (b ? o + 1 : o)); assert(d == c); }
    function tup(bool b) public pure { (uint x, uint y) = b ? (1, 2) : (3, 4); assert(x < y); (x, y) = (y, x); assert(x > y); }
}
