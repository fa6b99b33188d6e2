// expect: safe
contract C { function f(address payable a) public { uint b = address(this).balance; bool r = a.send(1); assert(r || address(this).balance == b); } }
