// expect: safe
contract C { function f() public view { assert(tx.origin == tx.origin); assert(block.coinbase == block.coinbase); assert(block.chainid == block.chainid); assert(tx.gasprice == tx.gasprice); } }
