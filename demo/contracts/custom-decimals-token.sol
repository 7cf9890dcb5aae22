// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// An ERC-20 with a configurable number of decimals; the supply is minted to the deployer.
contract CustomDecimalsToken is ERC20 {
    uint8 private immutable scale;

    constructor(string memory name, string memory symbol, uint8 scale_, uint256 supply) ERC20(name, symbol) {
        scale = scale_;
        _mint(msg.sender, supply);
    }

    function decimals() public view override returns (uint8) {
        return scale;
    }
}
