// expect: safe
contract C { function f(bytes memory a, bytes memory b) public pure { assert(bytes.concat(a, b).length == a.length + b.length); } }
