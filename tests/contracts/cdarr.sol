// expect: safe
contract C { function f(uint[] calldata a) external pure { require(a.length > 1); uint s = 0; if (a[0] < 10 && a[1] < 10) { s = a[0] + a[1]; } assert(s < 20); } }
