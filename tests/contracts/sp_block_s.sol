// expect: safe
pragma solidity >=0.8.0;
contract C {
    uint t; uint n;
    function f() public { t = block.timestamp; n = block.number; }
    function g() public view { assert(block.timestamp >= t); assert(block.number >= n); uint a = block.gaslimit; assert(a == block.gaslimit); address o = tx.origin; assert(o == tx.origin); assert(block.chainid == block.chainid); assert(block.coinbase == block.coinbase); }
}
