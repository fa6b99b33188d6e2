// expect: safe
type T is uint8;
function add(T a, T b) pure returns (T) { return T.wrap(T.unwrap(a) + T.unwrap(b)); }
using {add as +} for T global;
contract C { function f(uint8 a) public pure { require(a < 100); T t = T.wrap(a); T u = t + t; assert(T.unwrap(u) == 2 * a); } }
