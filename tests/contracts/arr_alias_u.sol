// expect: unsafe
pragma solidity >=0.8.0;
contract C { uint[] a; uint[] b; function p() public { a.push(1); b.push(2); }
    function f(uint x, uint y) public { require(x < a.length && y < a.length); a[x] = 1; a[y] = 2; assert(a[x] == 1); } }
