// expect: safe
pragma solidity >=0.8.0;
uint constant N = 5; 
struct P { uint x; uint y; }
enum K { A, B }
error Bad(uint a, P p);
function area(P memory p) pure returns (uint) { return p.x * p.y; }
library L { function twice(P memory p) internal pure { p.x *= 2; } function inc(mapping(uint=>uint) storage m, uint k) internal { m[k]++; } }
contract C {
    using L for P; using L for mapping(uint => uint);
    mapping(uint => uint) m; uint immutable z; uint constant Q = N * 2;
    constructor(uint a) { require(a < 7); z = a; }
    function f(uint a) public view { if (a > 10) revert Bad({a: a, p: P(a, 1)}); P memory p = P({y: N, x: a}); p.twice(); assert(area(p) == a * Q); assert(z < 7); }
    function g(uint k) public { uint o = m[k]; m.inc(k); assert(m[k] == o + 1); }
}
