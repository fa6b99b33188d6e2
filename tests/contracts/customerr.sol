// expect: safe
error Bad(uint x);
contract C { error Own(); uint x; function f(uint a) public { if (a > 5) revert Bad(a); if (a == 3) revert Own(); x = a; assert(x <= 5 && x != 3); } }
