// expect: unsafe
type Price is uint128;
contract C { Price p; mapping(address => Price) m; function s(uint128 a) public { p = Price.wrap(a); m[msg.sender] = p; } function f() public view { assert(Price.unwrap(m[msg.sender]) < 100); } }
