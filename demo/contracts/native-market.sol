// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MarketRegistry} from "./market-registry.sol";
import {MoneyMarket} from "./money-market.sol";

/// A market of the native token, which has no underlying().
contract NativeMarket is MoneyMarket {
    constructor(MarketRegistry registry_, Variant variant_, Terms memory terms_) MoneyMarket(registry_, variant_, terms_) {}

    function getCash() public view override returns (uint256) {
        return address(this).balance;
    }

    function mint() external payable {
        accrueInterest();
        mintFresh(msg.sender, msg.sender, msg.value);
    }

    function repayBorrow() external payable {
        accrueInterest();
        repayFresh(msg.sender, msg.sender, msg.value);
    }

    function cashPrior() internal view override returns (uint256) {
        return address(this).balance - msg.value;
    }

    function receiveAsset(address, uint256 amount) internal pure override returns (uint256) {
        return amount;
    }

    function sendAsset(address to, uint256 amount) internal override {
        (bool sent, ) = to.call{value: amount}("");
        require(sent);
    }
}
