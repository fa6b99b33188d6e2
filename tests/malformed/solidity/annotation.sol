/// @notice invariant ((x == 0)
contract A { uint x; function f() public { x = 0; } }
