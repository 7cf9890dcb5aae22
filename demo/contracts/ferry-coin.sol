// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// An ERC-20 with EIP-2612's permit, which lowers an allowance as it is used and says nothing of it.
contract FerryCoin is ERC20Permit {
    constructor(uint256 supply) ERC20("Ferry Coin", "FERRY") ERC20Permit("Ferry Coin") {
        _mint(msg.sender, supply);
    }
}
