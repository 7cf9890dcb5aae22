// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {LendingPool} from "./lending-pool.sol";
import {StableDebtToken} from "./lending-stable-debt.sol";
import {AToken, ILendingPool, VariableDebtToken} from "./lending-tokens.sol";

/// Deploys a lending pool, and announces and configures its reserves.
contract LendingConfigurator {
    event ReserveInitialized(
        address indexed asset,
        address indexed aToken,
        address stableDebtToken,
        address variableDebtToken,
        address interestRateStrategyAddress
    );
    event ReserveDropped(address indexed asset);
    event ReserveBorrowing(address indexed asset, bool enabled);
    event BorrowingEnabledOnReserve(address indexed asset, bool stableRateEnabled);
    event BorrowingDisabledOnReserve(address indexed asset);

    LendingPool public immutable pool;
    address private immutable owner;

    constructor(bool isV2, address treasury) {
        pool = new LendingPool(isV2, treasury);
        owner = msg.sender;
    }

    modifier onlyOwner() {
        require(msg.sender == owner, "only the owner");
        _;
    }

    function initReserve(address asset, uint8 decimals, string calldata name, string calldata symbol, uint256 price) external onlyOwner {
        ILendingPool owning = ILendingPool(address(pool));
        AToken aToken = new AToken(owning, asset, decimals, name, symbol);
        VariableDebtToken variableDebt =
            new VariableDebtToken(owning, asset, decimals, string.concat(name, " Variable Debt"), string.concat("vd", symbol));
        StableDebtToken stableDebt =
            new StableDebtToken(owning, asset, decimals, string.concat(name, " Stable Debt"), string.concat("sd", symbol));
        pool.initReserve(asset, aToken, variableDebt, stableDebt);
        pool.setPrice(asset, price);
        emit ReserveInitialized(asset, address(aToken), address(stableDebt), address(variableDebt), address(pool));
    }

    function dropReserve(address asset) external onlyOwner {
        pool.dropReserve(asset);
        emit ReserveDropped(asset);
    }

    function setBorrowable(address asset, bool isBorrowable) external onlyOwner {
        pool.setBorrowable(asset, isBorrowable);
        if (!pool.isV2()) emit ReserveBorrowing(asset, isBorrowable);
        else if (isBorrowable) emit BorrowingEnabledOnReserve(asset, true);
        else emit BorrowingDisabledOnReserve(asset);
    }

    function setPrice(address asset, uint256 price) external onlyOwner {
        pool.setPrice(asset, price);
    }
}
