// expect: safe in bv
pragma solidity >=0.8.0;
contract C {
    function checked(uint8 x, uint8 y) public pure { uint8 z = x ** y; if (y == 0) assert(z == 1); if (y == 1) assert(z == x); }
    function negative(uint8 y) public pure { int8 z = int8(-2) ** y; if (y == 1) assert(z == -2); if (y == 0) assert(z == 1); }
    function two(uint8 y) public pure { uint8 z = uint8(2) ** y; assert(y < 8); assert(z == uint8(1) << y); assert(uint(2) ** y > 0); }
    function wraps(uint16 y) public pure { unchecked { uint8 z = uint8(2) ** y; if (y >= 8) assert(z == 0); else assert(z == uint8(1) << y); } }
}
