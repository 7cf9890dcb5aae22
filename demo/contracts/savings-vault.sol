// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// An ERC-4626 vault. Its yield is transferred to it, which raises the price of a share without an event of the vault.
contract SavingsVault is ERC20, ERC4626 {
    constructor(string memory name_, string memory symbol_, ERC20 asset_) ERC20(name_, symbol_) ERC4626(asset_) {}

    function decimals() public view override(ERC20, ERC4626) returns (uint8) {
        return ERC4626.decimals();
    }
}
