// expect: safe
pragma solidity ^0.8.0;
contract C { string name; bytes data; function f() public { string storage s = name; bytes storage d = data; d.push(0x01); assert(data.length > 0); assert(bytes(s).length == bytes(name).length); } }
