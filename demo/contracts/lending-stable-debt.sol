// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {LendingMath} from "./lending-math.sol";
import {ILendingPool, LendingToken} from "./lending-tokens.sol";

/// The token of debts at a stable rate: each account has its own rate, and the total grows at their average.
contract StableDebtToken is LendingToken {
    using LendingMath for uint256;

    event Mint(
        address indexed user,
        address indexed onBehalfOf,
        uint256 amount,
        uint256 currentBalance,
        uint256 balanceIncrease,
        uint256 newRate,
        uint256 avgStableRate,
        uint256 newTotalSupply
    );
    event Burn(
        address indexed from,
        uint256 amount,
        uint256 currentBalance,
        uint256 balanceIncrease,
        uint256 avgStableRate,
        uint256 newTotalSupply
    );

    struct Debt {
        uint256 principal;
        uint256 rate;
        uint256 updated;
    }

    mapping(address => Debt) private debtOf;
    Debt private total;

    constructor(ILendingPool pool, address asset, uint8 decimals_, string memory name_, string memory symbol_)
        LendingToken(pool, asset, decimals_, name_, symbol_)
    {}

    function balanceOf(address account) public view returns (uint256) {
        return grown(debtOf[account]);
    }

    function totalSupply() public view returns (uint256) {
        return grown(total);
    }

    function averageRate() external view returns (uint256) {
        return total.rate;
    }

    function mint(address caller, address to, uint256 amount, uint256 rate) external onlyPool {
        Debt storage debt = debtOf[to];
        uint256 balance = balanceOf(to);
        uint256 increase = balance - debt.principal;
        uint256 supply = totalSupply();
        total = Debt(supply + amount, (total.rate * supply + rate * amount) / (supply + amount), block.timestamp);
        debtOf[to] = Debt(balance + amount, (debt.rate * balance + rate * amount) / (balance + amount), block.timestamp);
        // Version 3 counts the interest as minted.
        uint256 minted = isV2 ? amount : amount + increase;
        emit Transfer(address(0), to, minted);
        emit Mint(caller, to, minted, balance, increase, debt.rate, total.rate, total.principal);
    }

    function burn(address from, uint256 amount) external onlyPool {
        Debt storage debt = debtOf[from];
        uint256 balance = balanceOf(from);
        uint256 increase = balance - debt.principal;
        uint256 supply = totalSupply();
        uint256 owed = debt.rate * amount;
        if (supply <= amount || owed >= total.rate * supply) total = Debt(0, 0, block.timestamp);
        else total = Debt(supply - amount, (total.rate * supply - owed) / (supply - amount), block.timestamp);
        (debt.principal, debt.updated) = (balance - amount, block.timestamp);
        if (increase > amount) {
            if (!isV2) emit Transfer(address(0), from, increase - amount);
            emit Mint(from, from, increase - amount, balance, increase, debt.rate, total.rate, total.principal);
        } else {
            if (!isV2) emit Transfer(from, address(0), amount - increase);
            emit Burn(from, amount - increase, balance, increase, total.rate, total.principal);
        }
        if (isV2) emit Transfer(from, address(0), amount);
    }

    function grown(Debt storage debt) private view returns (uint256) {
        if (debt.principal == 0) return 0;
        return debt.principal.rayMul(LendingMath.compounded(debt.rate, debt.updated, isV2));
    }
}
