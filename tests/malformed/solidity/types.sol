contract A { function f() public { uint x = true; } }
