// expect: safe
pragma solidity >=0.8.0;
contract C {
    uint[][] a; uint[2][3] b; uint[] c;
    function f() public { a.push(); a[a.length - 1].push(5); assert(a[a.length - 1][0] == 5); }
    function g(uint i, uint j) public { require(i < 3 && j < 2); b[i][j] = 7; assert(b[i][j] == 7); uint[2][3] memory m = b; m[i][j] = 8; assert(b[i][j] == 7 && m[i][j] == 8); }
    function h() public { uint[] memory m = new uint[](3); m[1] = 4; c = m; m[1] = 5; assert(c.length == 3 && c[1] == 4 && m[0] == 0); }
    function k() public pure { uint8[3] memory x = [1, 2, 3]; uint8[3] memory y = x; y[0] = 9; assert(x[0] == 9); }
}
