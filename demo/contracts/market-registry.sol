// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MoneyMarket} from "./money-market.sol";

/// Lists the markets of a lending protocol, and allows accounts to borrow against sufficient supplies, valued at the prices that the administrator sets.
contract MarketRegistry {
    event MarketListed(address cToken);

    uint256 public constant collateralFactor = 0.75e18;
    uint256 public constant liquidationIncentive = 1.08e18;
    address public immutable admin = msg.sender;
    MoneyMarket[] public markets;
    mapping(MoneyMarket => bool) public isListed;
    /// The price of the smallest unit of a market's asset, times 1e18.
    mapping(MoneyMarket => uint256) public price;

    function list(MoneyMarket market, uint256 price_) external {
        require(msg.sender == admin && !isListed[market]);
        isListed[market] = true;
        markets.push(market);
        price[market] = price_;
        emit MarketListed(address(market));
    }

    function setPrice(MoneyMarket market, uint256 price_) external {
        require(msg.sender == admin);
        price[market] = price_;
    }

    /// Whether an account's collateral would cover its debts after giving up some tokens of a market and borrowing more of its asset.
    function isCovered(address account, MoneyMarket market, uint256 tokens, uint256 amount) public view returns (bool) {
        uint256 collateral;
        uint256 debts;
        for (uint256 i; i < markets.length; i += 1) {
            MoneyMarket one = markets[i];
            uint256 held = one.balanceOf(account) - (one == market ? tokens : 0);
            uint256 owed = one.borrowBalanceStored(account) + (one == market ? amount : 0);
            collateral += ((((held * one.exchangeRateStored()) / 1e18) * price[one]) * collateralFactor) / 1e18;
            debts += owed * price[one];
        }
        return collateral >= debts;
    }

    /// The tokens of a collateral market that are seized for a repaid amount.
    function seizedTokens(MoneyMarket borrowed, MoneyMarket collateral, uint256 amount) external view returns (uint256) {
        return (amount * price[borrowed] * liquidationIncentive) / (price[collateral] * collateral.exchangeRateStored());
    }
}
