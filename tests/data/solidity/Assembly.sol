pragma solidity >=0.8.0;

contract Assembly {
    uint state;
    struct Box { uint v; }

    function pure_(uint a, uint b) public pure {
        uint8 small;
        uint[] memory list = new uint[](1);
        list[0] = 1;
        assembly ("memory-safe") {
            small := add(a, b) // any, but a number of its type
            let p := mload(0x40)
            mstore(add(p, 2), a)
            mstore(0x20, b)
            for { let i := 0 } lt(i, a) { i := add(i, 1) } { if eq(i, 7) { break } }
            switch b case 0 { revert(0, 0) } default { pop(keccak256(p, 0x42)) }
        }
        assert(small <= 255 && list[0] == 1);
    }
    function any_(uint a) public pure {
        uint r = 1;
        assembly { r := mload(a) }
        assert(r == 1);
    }
    function loop(uint n) public pure {
        uint y = 1;
        for (uint i = 0; i < n; i++) { assembly { y := add(y, n) } }
        assert(y == 1);
    }
    function stores(bytes32 slot) public {
        state = 1;
        assembly { sstore(slot, 2) }
        assert(state == 1);
    }
    function reverts(bytes memory data) public pure {
        assembly { let size := mload(data) revert(add(32, data), size) }
        assert(false);
    }
    function memory_(uint[] memory a) public pure { assembly { mstore(add(a, 32), 7) } }
    function moved(uint a) public pure { assembly { let p := mload(0x40) p := a mstore(p, 7) } }
    function returns_() public pure { assembly { return(0, 32) } }
    function calls(address a) public { assembly { pop(call(gas(), a, 0, 0, 0, 0, 0)) } }
    function pointer() public view { Box storage b; assembly { b.slot := 0 } b.v; }
    function function_() public pure { assembly { function f(x) -> y { y := x } pop(f(1)) } }
}

contract Guarded {
    bool open;

    function isContract(address account) internal view returns (bool) {
        uint size;
        assembly { size := extcodesize(account) }
        return size > 0;
    }
    function quiet() public { require(!isContract(address(this))); open = true; }
    function enter(address a) public { require(!isContract(a)); open = a == address(7) || open; }
    function check() public view { assert(!open); }
}

contract Itself {
    constructor() { assert(address(this).code.length == 0); }
    function check() public view { assert(address(this).code.length > 0); }
}
