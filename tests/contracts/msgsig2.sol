// expect: unsafe
contract C { function f() public pure { g(); } function g() public pure { assert(msg.sig == this.f.selector); } }
