pragma solidity >=0.7.0;

contract Modifies {
    uint x;
    uint y;
    mapping(address => uint) m;
    bool open;
    address owner;

    /// @notice modifies x
    function named() public { x = 3; }
    /// @notice modifies x
    function unnamed() public { y = 1; }
    /// @notice modifies x if open
    function guarded() public { if (open) x = 3; }
    /// @notice modifies x if !open
    function unguarded() public { if (open) x = 3; }
    /// @notice modifies m
    function through() public { helper(); }
    function helper() internal { m[address(0)] = 1; }
    /// @notice modifies y
    /// @notice modifies address(this).balance
    function back() public { uint old = x; x = 7; y = 2; x = old; }
}
