pragma solidity 0.3.1;
contract A {}
