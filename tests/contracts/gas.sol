// expect: unsafe
contract C { function f() public view { uint g = gasleft(); assert(g > 0 && g == gasleft()); } }
