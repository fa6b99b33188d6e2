// expect: safe
pragma solidity >=0.8.0;
contract C { enum D { Left, Right } D d; function f(D a) public { require(a == D.Right); d = a; assert(d != D.Left); delete d; assert(d == D.Left); assert(uint(a) == 1); } }
