pragma solidity >=0.8.0;

interface Other { function run() external; }

contract Calls {
    uint grows;
    uint phase;
    address owner = msg.sender;
    Other other;

    function add() public { grows = grows + 1; }
    function next() public { phase = 5; other.run(); }
    function check() public {
        uint before = grows;
        address o = owner;
        phase = 2;
        other.run();
        assert(grows >= before && owner == o && (phase == 2 || phase == 5));
    }
}

contract Resets {
    uint phase;
    Other other;

    function next() public { phase = 5; }
    function check() public { phase = 2; other.run(); assert(phase == 2); }
}
