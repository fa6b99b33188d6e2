// expect: unsafe
contract C { uint[] a; function p() public { a.push(1); } function q() public { a.pop(); } function f() public view { assert(a.length < 2); } }
