// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

interface Counter {
    function count() external view returns (uint);

    function add(uint n) external;
}

contract Made {
    uint public count;
    address public maker;

    constructor(uint n, address who) {
        count = n;
        maker = who;
    }

    function add(uint n) external {
        count += n;
    }
}

// The legacy code generator's order.
contract Order {
    struct Box {
        uint v;
    }
    uint x;
    Box a;
    Box b;

    function next() internal returns (uint) {
        return ++x;
    }

    function operands() public {
        x = 0;
        uint r = next() * 10 + next() * 100;
        assert(r == 120);
        x = 5;
        assert(x++ + ++x == 12);
    }

    function leftFirst() public {
        x = 5;
        uint r = x + next();
        assert(r == 11);
    }

    function places() public {
        a.v = 1;
        b.v = 2;
        (a, b) = (b, a);
        assert(a.v == 1 && b.v == 1);
    }

    function swapped() public {
        a.v = 1;
        b.v = 2;
        (a, b) = (b, a);
        assert(a.v == 2);
    }
}

contract Maker {
    uint x;

    function next() internal returns (uint) {
        x = 1;
        return x;
    }

    function makes() public {
        Made m = new Made(next(), msg.sender);
        assert(m.count() == 1 && x == 1 && m.maker() == msg.sender);
    }

    function made() public {
        Made m = new Made(1, msg.sender);
        assert(m.maker() == address(this));
    }
}

contract Caller {
    function calls() public {
        Made m = new Made(1, msg.sender);
        Counter c = Counter(address(m));
        c.add(2);
        assert(c.count() == m.count());
    }

    function called() public {
        Made m = new Made(1, msg.sender);
        Counter(address(m)).add(2);
        assert(m.count() == 1);
    }
}
