// expect: unsafe
contract C { address hb; uint high; bool ended; function bid() public payable { require(!ended); require(msg.value > high); hb = msg.sender; high = msg.value; } function end() public { ended = true; } function f() public view { assert(!ended || high == 0); } }
