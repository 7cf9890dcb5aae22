// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// Transfers an amount of the caller's tokens to each of many receivers.
contract Airdrop {
    function drop(IERC20 token, address[] calldata receivers, uint256 amount) external {
        for (uint256 index = 0; index < receivers.length; index++) {
            token.transferFrom(msg.sender, receivers[index], amount);
        }
    }
}
