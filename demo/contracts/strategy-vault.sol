// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20, IERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// An ERC-4626 vault with a strategy. Its reported profit is released over a day: the vault holds shares for it, which stop counting as time passes.
contract StrategyVault is ERC4626 {
    event StrategyReported(
        address indexed strategy,
        uint256 gain,
        uint256 loss,
        uint256 current_debt,
        uint256 protocol_fees,
        uint256 total_fees,
        uint256 total_refunds
    );

    uint256 private constant FEE = 1000;
    uint256 private constant PERIOD = 1 days;
    address public immutable strategy;
    address public immutable feeRecipient;
    uint256 public totalDebt;
    uint256 private lockedShares;
    uint256 private lastReport;

    constructor(string memory name_, string memory symbol_, ERC20 asset_, address strategy_, address recipient)
        ERC20(name_, symbol_)
        ERC4626(asset_)
    {
        (strategy, feeRecipient) = (strategy_, recipient);
    }

    function totalAssets() public view override returns (uint256) {
        return ERC20(asset()).balanceOf(address(this)) + totalDebt;
    }

    function totalSupply() public view override(ERC20, IERC20) returns (uint256) {
        return super.totalSupply() - _unlockedShares();
    }

    /// Lends half of the idle assets to the strategy, which pays its profit.
    function report(uint256 gain) external {
        _burn(address(this), _unlockedShares());
        uint256 fee = (gain * FEE) / 10_000;
        (uint256 feeShares, uint256 profitShares) = (convertToShares(fee), convertToShares(gain - fee));
        _mint(feeRecipient, feeShares);
        _mint(address(this), profitShares);
        (lockedShares, lastReport) = (balanceOf(address(this)), block.timestamp);
        uint256 lent = ERC20(asset()).balanceOf(address(this)) / 2;
        totalDebt += lent;
        ERC20(asset()).transfer(strategy, lent);
        ERC20(asset()).transferFrom(strategy, address(this), gain);
        emit StrategyReported(strategy, gain, 0, totalDebt, 0, fee, 0);
    }

    function _unlockedShares() private view returns (uint256) {
        uint256 elapsed = block.timestamp - lastReport;
        return elapsed < PERIOD ? (lockedShares * elapsed) / PERIOD : lockedShares;
    }

    function _convertToShares(uint256 assets, Math.Rounding rounding) internal view override returns (uint256) {
        uint256 supply = totalSupply();
        return supply == 0 ? assets : Math.mulDiv(assets, supply, totalAssets(), rounding);
    }

    function _convertToAssets(uint256 shares, Math.Rounding rounding) internal view override returns (uint256) {
        uint256 supply = totalSupply();
        return supply == 0 ? shares : Math.mulDiv(shares, totalAssets(), supply, rounding);
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares) internal override {
        uint256 idle = ERC20(asset()).balanceOf(address(this));
        if (assets > idle) {
            totalDebt -= assets - idle;
            ERC20(asset()).transferFrom(strategy, address(this), assets - idle);
        }
        super._withdraw(caller, receiver, owner, assets, shares);
    }
}
