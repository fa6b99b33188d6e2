// expect: safe
contract C { function f(address a) public view { assert(a.code.length == a.code.length); assert(a.codehash == a.codehash); } }
