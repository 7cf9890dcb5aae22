// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A pool of one token. Its shares have 18 decimals, regardless of the token's decimals, and their price is per 10^18 shares. A strategist holds
/// what was lent to it and reports profit, part of which the fee collector receives as new shares.
contract SharePool is ERC20 {
    event Deposit(address indexed owner, uint256 shares, uint256 amount);
    event Withdraw(address indexed owner, uint256 shares, uint256 amount);

    uint256 private constant FEE = 1500;
    ERC20 public immutable token;
    address public immutable strategist;
    address public immutable feeCollector;
    uint256 public totalDebt;

    constructor(string memory name_, string memory symbol_, ERC20 token_, address strategist_, address collector) ERC20(name_, symbol_) {
        (token, strategist, feeCollector) = (token_, strategist_, collector);
    }

    function totalValue() public view returns (uint256) {
        return token.balanceOf(address(this)) + totalDebt;
    }

    function pricePerShare() public view returns (uint256) {
        if (totalSupply() == 0 || totalValue() == 0) return 10 ** token.decimals();
        return (totalValue() * 1e18) / totalSupply();
    }

    function deposit(uint256 amount) external {
        uint256 shares = _sharesFor(amount);
        token.transferFrom(msg.sender, address(this), amount);
        _mint(msg.sender, shares);
        emit Deposit(msg.sender, shares, amount);
    }

    function withdraw(uint256 shares) external {
        uint256 amount = (shares * pricePerShare()) / 1e18;
        uint256 idle = token.balanceOf(address(this));
        if (amount > idle) _recall(amount - idle);
        _burn(msg.sender, shares);
        token.transfer(msg.sender, amount);
        emit Withdraw(msg.sender, shares, amount);
    }

    function lend(uint256 amount) external {
        totalDebt += amount;
        token.transfer(strategist, amount);
    }

    /// The price changes without an event of a deposit or withdrawal.
    function report(uint256 profit) external {
        uint256 feeShares = _sharesFor((profit * FEE) / 10_000);
        token.transferFrom(strategist, address(this), profit);
        _mint(feeCollector, feeShares);
    }

    function _recall(uint256 amount) private {
        totalDebt -= amount;
        token.transferFrom(strategist, address(this), amount);
    }

    function _sharesFor(uint256 amount) private view returns (uint256 shares) {
        uint256 price = pricePerShare();
        shares = (amount * 1e18) / price;
        if (amount > (shares * price) / 1e18) shares += 1;
    }
}
