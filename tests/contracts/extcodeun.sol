// expect: unsafe
contract C { function f(address a) public view { assert(a.code.length == 0); } }
