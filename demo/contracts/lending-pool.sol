// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {LendingMath} from "./lending-math.sol";
import {StableDebtToken} from "./lending-stable-debt.sol";
import {AToken, VariableDebtToken} from "./lending-tokens.sol";

/// The state of a reserve since its last update, with rates and indexes of 27 decimals.
struct Reserve {
    AToken aToken;
    VariableDebtToken variableDebt;
    StableDebtToken stableDebt;
    uint256 liquidityIndex;
    uint256 borrowIndex;
    uint256 liquidityRate;
    uint256 variableRate;
    uint256 updated;
    /// The price of the smallest unit of the asset, with 36 decimals.
    uint256 price;
    bool isBorrowable;
}

/// A pool of lending reserves with the events and the arithmetic of Aave, version 2 or 3. The deployer sets prices.
contract LendingPool {
    using LendingMath for uint256;
    using SafeERC20 for IERC20;

    enum RateMode {
        None,
        Stable,
        Variable
    }

    event Supply(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint16 indexed referralCode);
    event Deposit(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint16 indexed referral);
    event Withdraw(address indexed reserve, address indexed user, address indexed to, uint256 amount);
    event Borrow(
        address indexed reserve,
        address user,
        address indexed onBehalfOf,
        uint256 amount,
        RateMode interestRateMode,
        uint256 borrowRate,
        uint16 indexed referralCode
    );
    event Borrow(
        address indexed reserve,
        address user,
        address indexed onBehalfOf,
        uint256 amount,
        uint256 borrowRateMode,
        uint256 borrowRate,
        uint16 indexed referral
    );
    event Repay(address indexed reserve, address indexed user, address indexed repayer, uint256 amount, bool useATokens);
    event Repay(address indexed reserve, address indexed user, address indexed repayer, uint256 amount);
    event LiquidationCall(
        address indexed collateralAsset,
        address indexed debtAsset,
        address indexed user,
        uint256 debtToCover,
        uint256 liquidatedCollateralAmount,
        address liquidator,
        bool receiveAToken
    );
    event ReserveDataUpdated(
        address indexed reserve,
        uint256 liquidityRate,
        uint256 stableBorrowRate,
        uint256 variableBorrowRate,
        uint256 liquidityIndex,
        uint256 variableBorrowIndex
    );

    uint256 private constant RAY = 1e27;
    bool public immutable isV2;
    address public immutable configurator;
    address public immutable treasury;
    mapping(address => Reserve) public reserves;
    address[] private assets;
    mapping(address => mapping(address => bool)) private isDelegate;

    constructor(bool isV2_, address treasury_) {
        (isV2, configurator, treasury) = (isV2_, msg.sender, treasury_);
    }

    modifier onlyConfigurator() {
        require(msg.sender == configurator, "only the configurator");
        _;
    }

    function initReserve(address asset, AToken aToken, VariableDebtToken variableDebt, StableDebtToken stableDebt) external onlyConfigurator {
        require(address(reserves[asset].aToken) == address(0), "already initialized");
        reserves[asset] = Reserve(aToken, variableDebt, stableDebt, RAY, RAY, 0, 0, 0, 0, false);
        assets.push(asset);
    }

    function dropReserve(address asset) external onlyConfigurator {
        require(reserves[asset].aToken.totalSupply() == 0, "supplied");
        delete reserves[asset];
        for (uint256 n = 0; n < assets.length; n += 1) if (assets[n] == asset) (assets[n] = assets[assets.length - 1]);
        assets.pop();
    }

    function setBorrowable(address asset, bool isBorrowable) external onlyConfigurator {
        reserves[asset].isBorrowable = isBorrowable;
    }

    function setPrice(address asset, uint256 price) external onlyConfigurator {
        reserves[asset].price = price;
    }

    function getReserveNormalizedIncome(address asset) public view returns (uint256) {
        Reserve storage r = reserves[asset];
        return LendingMath.linear(r.liquidityRate, r.updated).rayMul(r.liquidityIndex);
    }

    function getReserveNormalizedVariableDebt(address asset) public view returns (uint256) {
        Reserve storage r = reserves[asset];
        return LendingMath.compounded(r.variableRate, r.updated, isV2).rayMul(r.borrowIndex);
    }

    /// Whether the debts of an account are at most 80 percent of the value of its supplies.
    function isSolvent(address account) public view returns (bool) {
        (uint256 supplied, uint256 owed) = (0, 0);
        for (uint256 n = 0; n < assets.length; n += 1) {
            Reserve storage r = reserves[assets[n]];
            supplied += r.aToken.balanceOf(account) * r.price;
            owed += (r.variableDebt.balanceOf(account) + r.stableDebt.balanceOf(account)) * r.price;
        }
        return owed * 10 <= supplied * 8;
    }

    function requireSolvent(address account) public view {
        require(isSolvent(account), "not solvent");
    }

    /// Allows another account to borrow on behalf of the sender.
    function delegate(address to) external {
        isDelegate[msg.sender][to] = true;
    }

    function supply(address asset, uint256 amount, address onBehalfOf, uint16 referral) external {
        Reserve storage r = updateIndexes(asset);
        IERC20(asset).safeTransferFrom(msg.sender, address(r.aToken), amount);
        updateRates(asset, r);
        r.aToken.mint(msg.sender, onBehalfOf, amount, r.liquidityIndex);
        if (isV2) emit Deposit(asset, msg.sender, onBehalfOf, amount, referral);
        else emit Supply(asset, msg.sender, onBehalfOf, amount, referral);
    }

    /// Withdraws an amount, or the whole balance if the amount is the max uint256.
    function withdraw(address asset, uint256 amount, address to) external {
        Reserve storage r = updateIndexes(asset);
        if (amount == type(uint256).max) amount = r.aToken.balanceOf(msg.sender);
        r.aToken.burn(msg.sender, to, amount, r.liquidityIndex);
        updateRates(asset, r);
        requireSolvent(msg.sender);
        emit Withdraw(asset, msg.sender, to, amount);
    }

    /// Mode 1 is a stable rate, 2 a variable one.
    function borrow(address asset, uint256 amount, uint8 mode, uint16 referral, address onBehalfOf) external {
        require(onBehalfOf == msg.sender || isDelegate[onBehalfOf][msg.sender], "not delegated");
        Reserve storage r = updateIndexes(asset);
        require(r.isBorrowable, "not borrowable");
        uint256 rate = mode == 1 ? stableRate(r) : r.variableRate;
        if (mode == 1) r.stableDebt.mint(msg.sender, onBehalfOf, amount, rate);
        else r.variableDebt.mint(msg.sender, onBehalfOf, amount, r.borrowIndex);
        r.aToken.transferUnderlyingTo(msg.sender, amount);
        updateRates(asset, r);
        requireSolvent(onBehalfOf);
        if (isV2) emit Borrow(asset, msg.sender, onBehalfOf, amount, uint256(mode), rate, referral);
        else emit Borrow(asset, msg.sender, onBehalfOf, amount, RateMode(mode), rate, referral);
    }

    /// Repays an amount, at most the debt.
    function repay(address asset, uint256 amount, uint8 mode, address onBehalfOf) external {
        Reserve storage r = updateIndexes(asset);
        uint256 repaid = burnDebt(r, amount, mode, onBehalfOf);
        IERC20(asset).safeTransferFrom(msg.sender, address(r.aToken), repaid);
        updateRates(asset, r);
        if (isV2) emit Repay(asset, onBehalfOf, msg.sender, repaid);
        else emit Repay(asset, onBehalfOf, msg.sender, repaid, false);
    }

    function repayWithATokens(address asset, uint256 amount, uint8 mode) external {
        require(!isV2, "version 3 only");
        Reserve storage r = updateIndexes(asset);
        uint256 repaid = burnDebt(r, amount, mode, msg.sender);
        r.aToken.burn(msg.sender, address(r.aToken), repaid, r.liquidityIndex);
        updateRates(asset, r);
        requireSolvent(msg.sender);
        emit Repay(asset, msg.sender, msg.sender, repaid, true);
    }

    /// Repays variable debt of an insolvent account and seizes collateral worth 105 percent of it; version 3 sends 1 percent more to the treasury.
    function liquidationCall(address collateral, address debt, address user, uint256 amount, bool receiveAToken) external {
        require(!isSolvent(user), "solvent");
        (Reserve storage c, Reserve storage d) = (updateIndexes(collateral), updateIndexes(debt));
        uint256 repaid = burnDebt(d, amount, 2, user);
        IERC20(debt).safeTransferFrom(msg.sender, address(d.aToken), repaid);
        updateRates(debt, d);
        uint256 seized = (repaid * d.price * 105) / (c.price * 100);
        if (receiveAToken) c.aToken.transferOnLiquidation(user, msg.sender, seized);
        else c.aToken.burn(user, msg.sender, seized, c.liquidityIndex);
        if (!isV2) c.aToken.transferOnLiquidation(user, treasury, seized / 100);
        updateRates(collateral, c);
        emit LiquidationCall(collateral, debt, user, repaid, seized, msg.sender, receiveAToken);
    }

    function burnDebt(Reserve storage r, uint256 amount, uint8 mode, address account) private returns (uint256) {
        uint256 owed = mode == 1 ? r.stableDebt.balanceOf(account) : r.variableDebt.balanceOf(account);
        if (amount > owed) amount = owed;
        if (mode == 1) r.stableDebt.burn(account, amount);
        else r.variableDebt.burn(account, amount, r.borrowIndex);
        return amount;
    }

    function updateIndexes(address asset) private returns (Reserve storage r) {
        r = reserves[asset];
        require(address(r.aToken) != address(0), "no reserve");
        (r.liquidityIndex, r.borrowIndex) = (getReserveNormalizedIncome(asset), getReserveNormalizedVariableDebt(asset));
        r.updated = block.timestamp;
    }

    /// Debts cost 2 percent a year, plus up to 18 percent in proportion to utilization; suppliers receive nine tenths of it.
    function updateRates(address asset, Reserve storage r) private {
        (uint256 variableDebt, uint256 stableDebt) = (r.variableDebt.totalSupply(), r.stableDebt.totalSupply());
        uint256 debt = variableDebt + stableDebt;
        uint256 utilization = debt == 0 ? 0 : debt.rayDiv(debt + IERC20(asset).balanceOf(address(r.aToken)));
        r.variableRate = RAY / 50 + utilization.rayMul((RAY * 18) / 100);
        uint256 paid = debt == 0 ? 0 : (variableDebt * r.variableRate + stableDebt * r.stableDebt.averageRate()) / debt;
        r.liquidityRate = (paid.rayMul(utilization) * 9) / 10;
        emit ReserveDataUpdated(asset, r.liquidityRate, stableRate(r), r.variableRate, r.liquidityIndex, r.borrowIndex);
    }

    function stableRate(Reserve storage r) private view returns (uint256) {
        return r.variableRate + RAY / 20;
    }
}
