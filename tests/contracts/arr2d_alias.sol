// expect: unsafe
contract C { uint[][] a; function f(uint i, uint j, uint k, uint l) public { require(i < a.length && j < a[i].length && k < a.length && l < a[k].length); a[i][j] = 1; a[k][l] = 2; assert(a[i][j] == 1); } function p() public { a.push(); } function q(uint i) public { a[i].push(); } }
