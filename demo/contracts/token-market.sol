// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {MarketRegistry} from "./market-registry.sol";
import {MoneyMarket} from "./money-market.sol";

/// A market of an ERC-20 token.
contract TokenMarket is MoneyMarket {
    IERC20 public immutable underlying;

    constructor(MarketRegistry registry_, Variant variant_, Terms memory terms_, IERC20 underlying_) MoneyMarket(registry_, variant_, terms_) {
        underlying = underlying_;
    }

    function getCash() public view override returns (uint256) {
        return underlying.balanceOf(address(this));
    }

    function mint(uint256 amount) external {
        accrueInterest();
        mintFresh(msg.sender, msg.sender, amount);
    }

    function mintBehalf(address minter, uint256 amount) external {
        accrueInterest();
        mintFresh(msg.sender, minter, amount);
    }

    function repayBorrow(uint256 amount) external {
        accrueInterest();
        repayFresh(msg.sender, msg.sender, amount);
    }

    function repayBorrowBehalf(address borrower, uint256 amount) external {
        accrueInterest();
        repayFresh(msg.sender, borrower, amount);
    }

    function liquidateBorrow(address borrower, uint256 amount, MoneyMarket collateral) external {
        accrueInterest();
        liquidateFresh(msg.sender, borrower, amount, collateral);
    }

    function receiveAsset(address from, uint256 amount) internal override returns (uint256) {
        uint256 before = getCash();
        require(underlying.transferFrom(from, address(this), amount));
        return getCash() - before;
    }

    function sendAsset(address to, uint256 amount) internal override {
        require(underlying.transfer(to, amount));
    }
}
