// expect: safe
pragma solidity >=0.8.0;
contract C {
    mapping (uint => uint) map; uint[3] arr;
    function f(uint x, uint p) public { require(x < 100); map[p] = x; map[p] += 2; assert(map[p] == x + 2); arr[p % 3] = x; arr[p % 3] *= 3; assert(arr[p % 3] == 3 * x); }
    function g(uint8 x) public pure { uint8 y = x; y |= 0xf0; assert(y >= 0xf0); y &= 0x0f; assert(y == x & 0x0f); y ^= y; assert(y == 0); y = 1; y <<= 3; assert(y == 8); y >>= 2; assert(y == 2); y %= 2; assert(y == 0); }
    function h(int8 a) public pure { require(a == -7); assert(a / 2 == -3); assert(a % 2 == -1); assert(a >> 1 == -4); assert(~a == 6); assert(-a == 7); }
}
