// expect: safe
contract C { string[] a; function f(string memory x) public { a.push(x); assert(keccak256(bytes(a[a.length-1])) == keccak256(bytes(x))); } }
