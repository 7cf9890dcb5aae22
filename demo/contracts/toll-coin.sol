// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// An ERC-20 with eight decimals that burns one percent of each transfer.
contract TollCoin is ERC20 {
    constructor(uint256 supply) ERC20("Toll Coin", "TOLL") {
        _mint(msg.sender, supply);
    }

    function decimals() public pure override returns (uint8) {
        return 8;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (from == address(0) || to == address(0)) {
            super._update(from, to, value);
            return;
        }
        uint256 toll = value / 100;
        super._update(from, address(0), toll);
        super._update(from, to, value - toll);
    }
}
