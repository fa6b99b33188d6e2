pragma solidity >=0.8.0;

interface Other {
    struct Pair { uint a; uint b; }
    function pair() external returns (Pair memory);
    function list() external view returns (uint[] memory);
}

contract Objects {
    struct Box { uint v; }
    Box[] boxes;

    function answers(Other o) public { Other.Pair memory p = o.pair(); p.a = 1; uint[] memory l = o.list(); require(l.length > 0); l[0] = 2; assert(p.a == 1 && l[0] == 2); }
    function decoded(bytes memory b) public pure { uint[] memory l = abi.decode(b, (uint[])); require(l.length == 1); assert(l[0] == 0); }
    function made(uint n) public pure { require(n > 0); uint[][] memory l = new uint[][](n); l[0] = new uint[](3); l[0][1] = 5; assert(l[0][1] == 5 && l.length == n); }
    function copied() public { boxes.push(Box(4)); Box[] memory l = boxes; assert(l.length == boxes.length); }
    function part(uint[] calldata l) external pure { require(l.length > 3); uint[] calldata s = l[1:3]; assert(s.length == 2); }
    function inPart(uint[] calldata l) external pure { require(l.length > 3 && l[0] == 1); assert(l[:3][0] == 1 && l[1:2][0] == l[1] + 1); }
    function place(bytes2 b, uint i) public pure { assert(b[i] == b[0] || b[i] == b[1]); assert(i < 2); }
}

contract Data {
    bool wrong;
    bool empty;

    function check(uint a) public { assert(!wrong); empty = msg.data.length < 36; assert(!empty); assert(a != 3 || bytes4(msg.data) == this.check.selector); }
    fallback(bytes calldata d) external returns (bytes memory) { wrong = wrong || d.length != msg.data.length; return d; }
}

contract Answered {
    bool seen;

    fallback(bytes calldata d) external returns (bytes memory) { seen = d.length == 2; return d; }
    function check() public view { assert(!seen || msg.data.length < 4); }
}

type Price is uint128;

contract Written {
    enum Kind { Small, Large }
    bool done;

    function set(Kind k, bytes4 b, Price p, bytes calldata s, Other o, int8 n) external payable {
        require(k == Kind.Large && b == 0x01020304 && Price.unwrap(p) == 5 && s.length == 0 && address(o) == address(11) && n == -3 && msg.value == 6 && block.timestamp == 9);
        done = true;
    }
    function check() public view { assert(!done); }
}
