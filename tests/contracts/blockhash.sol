// expect: safe
contract C { function f(uint n) public view { assert(blockhash(n) == blockhash(n)); } }
