// expect: unsafe
pragma solidity ^0.8.0;
contract D { uint public n; function g() external { n++; } } contract C { D d = new D(); bool busy; function f() public { require(!busy); busy = true; uint k = d.n(); (bool ok, ) = address(d).call(abi.encodeCall(D.g, ())); require(ok); assert(d.n() == k); busy = false; } }
