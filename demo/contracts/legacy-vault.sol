// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A vault whose shares have the decimals of its token, and whose reported profit is released over a day. Older versions of such vaults emit only
/// Transfer events for deposits and withdrawals.
contract LegacyVault is ERC20 {
    event Deposit(address indexed recipient, uint256 shares, uint256 amount);
    event Withdraw(address indexed recipient, uint256 shares, uint256 amount);
    event StrategyReported(
        address indexed strategy,
        uint256 gain,
        uint256 loss,
        uint256 debtPaid,
        uint256 totalGain,
        uint256 totalLoss,
        uint256 totalDebt,
        uint256 debtAdded,
        uint256 debtRatio
    );

    uint256 private constant FEE = 1000;
    uint256 private constant DEGRADATION = 1e18 / uint256(1 days);
    ERC20 public immutable token;
    address public immutable strategy;
    address public immutable rewards;
    bool private immutable emitsActions;
    uint256 public totalDebt;
    uint256 public totalGain;
    uint256 public lockedProfit;
    uint256 public lastReport;

    constructor(string memory name_, string memory symbol_, ERC20 token_, address strategy_, address rewards_, bool emitsActions_)
        ERC20(name_, symbol_)
    {
        (token, strategy, rewards, emitsActions, lastReport) = (token_, strategy_, rewards_, emitsActions_, block.timestamp);
    }

    function decimals() public view override returns (uint8) {
        return token.decimals();
    }

    function totalAssets() public view returns (uint256) {
        return token.balanceOf(address(this)) + totalDebt;
    }

    function pricePerShare() external view returns (uint256) {
        return _shareValue(10 ** decimals());
    }

    function deposit(uint256 amount, address recipient) external {
        uint256 shares = _issueSharesFor(amount, recipient);
        token.transferFrom(msg.sender, address(this), amount);
        if (emitsActions) emit Deposit(recipient, shares, amount);
    }

    function withdraw(uint256 shares, address recipient) external {
        uint256 value = _shareValue(shares);
        uint256 idle = token.balanceOf(address(this));
        if (value > idle) {
            totalDebt -= value - idle;
            token.transferFrom(strategy, address(this), value - idle);
        }
        _burn(msg.sender, shares);
        token.transfer(recipient, value);
        if (emitsActions) emit Withdraw(recipient, shares, value);
    }

    /// Lends half of the idle assets to the strategy, which pays its profit.
    function report(uint256 gain) external {
        uint256 fee = (gain * FEE) / 10_000;
        if (fee > 0) {
            _issueSharesFor(fee, address(this));
            _transfer(address(this), rewards, balanceOf(address(this)));
        }
        lockedProfit = _lockedProfit() + gain - fee;
        lastReport = block.timestamp;
        uint256 added = token.balanceOf(address(this)) / 2;
        totalDebt += added;
        totalGain += gain;
        token.transfer(strategy, added);
        token.transferFrom(strategy, address(this), gain);
        emit StrategyReported(strategy, gain, 0, 0, totalGain, 0, totalDebt, added, 5000);
    }

    function _lockedProfit() private view returns (uint256) {
        uint256 released = (block.timestamp - lastReport) * DEGRADATION;
        return released < 1e18 ? lockedProfit - (released * lockedProfit) / 1e18 : 0;
    }

    function _freeFunds() private view returns (uint256) {
        return totalAssets() - _lockedProfit();
    }

    function _shareValue(uint256 shares) private view returns (uint256) {
        return totalSupply() == 0 ? shares : (shares * _freeFunds()) / totalSupply();
    }

    function _issueSharesFor(uint256 amount, address to) private returns (uint256 shares) {
        shares = totalSupply() == 0 ? amount : (amount * totalSupply()) / _freeFunds();
        _mint(to, shares);
    }
}
