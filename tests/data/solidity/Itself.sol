pragma solidity >=0.8.0;

// Calls of the contract by itself, through unknown code.
contract Wallet {
    bool lock;
    uint need = 2;

    function change(uint n) public { require(msg.sender == address(this)); need = n; }
    function exec(address to, bytes calldata data) public { require(!lock); lock = true; (bool ok,) = to.call(data); require(ok); lock = false; }
    function check() public view { assert(need == 2); }
}

contract Others {
    bool lock;
    uint need = 2;

    function change(uint n) public { require(msg.sender == address(this)); need = n; }
    function exec(address to, bytes calldata data) public { require(!lock && to != address(this)); lock = true; (bool ok,) = to.call(data); require(ok); lock = false; }
    function check() public view { assert(need == 2); }
}

contract Fixed {
    uint x;

    function touch() public { x = 1; }
    function quiet() public {}
    function run() public { require(x == 0); (bool ok,) = address(this).call(abi.encodeWithSignature("quiet()")); if (ok) assert(x == 0); }
}
