// expect: unsafe
contract C { mapping(address => uint) b; uint t; function dep() public payable { b[msg.sender] += msg.value; t += msg.value; } function wd() public { uint v = b[msg.sender]; (bool ok, ) = msg.sender.call{value: v}(""); require(ok); t -= v; b[msg.sender] = 0; } function ck() public view { assert(t <= address(this).balance); } }
