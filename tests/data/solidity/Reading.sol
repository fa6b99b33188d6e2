pragma solidity >=0.8.0;

interface Other { function run() external view returns (uint); }

contract Reading {
    uint8 x;
    uint8 y;
    Other other;

    function both() public { x++; other.run(); y++; }
    function check() public view { assert(x == y); }
    function same() public view { uint8 before = x; other.run(); assert(x == before); }
    function late() public { x = y; assert(x == y); }
}

abstract contract Open {
    uint x;

    function hook() internal virtual;
    /// @notice postcondition r > 0
    function size(uint[] memory a) internal view virtual returns (uint r);
    function write(bytes memory b) internal virtual;

    function changed() public { x = 1; hook(); assert(x == 1); }
    function kept(uint[] memory a) public { x = 1; uint r = size(a); assert(x == 1 && r > 0); }
    function others(uint[] memory a) public { x = 1; a[0] = 1; size(a); assert(a[0] == 1); }
    function bytes_(bytes memory b) public { write(b); }
}
