// expect: safe
pragma solidity ^0.8.0;
contract C { function f() public view { uint g = gasleft(); uint h = gasleft(); assert(h <= g); assert(block.timestamp >= 0); assert(tx.gasprice == tx.gasprice); } }
