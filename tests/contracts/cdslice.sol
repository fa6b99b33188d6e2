// expect: safe
contract C { function f(bytes calldata b) external pure { require(b.length > 4); bytes calldata c = b[1:3]; assert(c.length == 2); } }
