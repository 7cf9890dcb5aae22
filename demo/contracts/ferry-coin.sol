// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// An ERC-20 with EIP-2612 permits. Spending an allowance lowers it without an event.
contract FerryCoin is ERC20Permit {
    constructor(uint256 supply) ERC20("Ferry Coin", "FERRY") ERC20Permit("Ferry Coin") {
        _mint(msg.sender, supply);
    }
}
