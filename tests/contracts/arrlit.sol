// expect: safe
contract C { function f() public pure { uint8[3] memory a = [1, 2, 3]; assert(a[0] + a[2] == 4); uint[2] memory b = [uint(7), 8]; assert(b[1] == 8); } }
