// expect: safe
pragma solidity >=0.8.0;
contract D {}
contract C {
    enum E { A, B, C }
    function f(address a, D d, uint8 x) public view {
        assert(address(uint160(a)) == a); assert(address(D(a)) == a); assert(address(d) == address(d)); assert(uint160(address(0)) == 0);
        require(x < 3); E e = E(x); assert(uint8(e) == x); assert(payable(a) == a); assert(address(this) == address(C(payable(address(this)))));
        assert(type(E).max == E.C); assert(E.A < E.B);
    }
}
