// expect: safe
contract C { function () internal h; uint x; function run() public { h(); x = 1; } function ck() public view { assert(x == 0); } }
