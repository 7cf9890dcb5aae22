// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {LendingMath} from "./lending-math.sol";

/// The functions of a pool that its tokens call.
interface ILendingPool {
    function isV2() external view returns (bool);
    function getReserveNormalizedIncome(address asset) external view returns (uint256);
    function getReserveNormalizedVariableDebt(address asset) external view returns (uint256);
    function requireSolvent(address account) external view;
}

/// A token of a reserve. Only its pool mints and burns.
abstract contract LendingToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    ILendingPool public immutable POOL;
    address public immutable UNDERLYING_ASSET_ADDRESS;
    string public name;
    string public symbol;
    uint8 public decimals;
    bool internal immutable isV2;

    constructor(ILendingPool pool, address asset, uint8 decimals_, string memory name_, string memory symbol_) {
        POOL = pool;
        UNDERLYING_ASSET_ADDRESS = asset;
        isV2 = pool.isV2();
        decimals = decimals_;
        (name, symbol) = (name_, symbol_);
    }

    modifier onlyPool() {
        require(msg.sender == address(POOL), "only the pool");
        _;
    }
}

/// A token whose balances are scaled: divided by an index that grows with interest.
abstract contract ScaledToken is LendingToken {
    using LendingMath for uint256;

    event Mint(address indexed caller, address indexed onBehalfOf, uint256 value, uint256 balanceIncrease, uint256 index);
    event Burn(address indexed from, address indexed target, uint256 value, uint256 balanceIncrease, uint256 index);

    mapping(address => uint256) public scaledBalanceOf;
    uint256 public scaledTotalSupply;
    /// The index at the last change of an account (version 3 only).
    mapping(address => uint256) internal indexOf;

    function currentIndex() internal view virtual returns (uint256);

    function logMintV2(address caller, address to, uint256 amount, uint256 index) internal virtual;

    function logBurnV2(address from, address target, uint256 amount, uint256 index) internal virtual;

    function balanceOf(address account) public view returns (uint256) {
        return scaledBalanceOf[account].rayMul(currentIndex());
    }

    function totalSupply() external view returns (uint256) {
        return scaledTotalSupply.rayMul(currentIndex());
    }

    function mint(address caller, address to, uint256 amount, uint256 index) external onlyPool {
        uint256 increase = accrue(to, index);
        uint256 scaled = amount.rayDiv(index);
        require(scaled != 0, "invalid amount");
        scaledBalanceOf[to] += scaled;
        scaledTotalSupply += scaled;
        emit Transfer(address(0), to, amount + increase);
        if (isV2) logMintV2(caller, to, amount, index);
        else emit Mint(caller, to, amount + increase, increase, index);
    }

    function burnScaled(address from, address target, uint256 amount, uint256 index) internal {
        uint256 increase = accrue(from, index);
        uint256 scaled = amount.rayDiv(index);
        require(scaled != 0, "invalid amount");
        scaledBalanceOf[from] -= scaled;
        scaledTotalSupply -= scaled;
        if (increase > amount) {
            emit Transfer(address(0), from, increase - amount);
            emit Mint(from, from, increase - amount, increase, index);
            return;
        }
        emit Transfer(from, address(0), amount - increase);
        if (isV2) logBurnV2(from, target, amount, index);
        else emit Burn(from, target, amount - increase, increase, index);
    }

    /// The interest of an account since its last change, which the events of version 2 omit.
    function accrue(address account, uint256 index) internal returns (uint256 increase) {
        if (isV2) return 0;
        uint256 scaled = scaledBalanceOf[account];
        increase = scaled.rayMul(index) - scaled.rayMul(indexOf[account]);
        indexOf[account] = index;
    }
}

/// The token of deposits, which holds the assets.
contract AToken is ScaledToken {
    using LendingMath for uint256;
    using SafeERC20 for IERC20;

    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Mint(address indexed from, uint256 value, uint256 index);
    event Burn(address indexed from, address indexed target, uint256 value, uint256 index);
    event BalanceTransfer(address indexed from, address indexed to, uint256 value, uint256 index);

    mapping(address => mapping(address => uint256)) public allowance;

    constructor(ILendingPool pool, address asset, uint8 decimals_, string memory name_, string memory symbol_)
        LendingToken(pool, asset, decimals_, name_, symbol_)
    {}

    function currentIndex() internal view override returns (uint256) {
        return POOL.getReserveNormalizedIncome(UNDERLYING_ASSET_ADDRESS);
    }

    function logMintV2(address, address to, uint256 amount, uint256 index) internal override {
        emit Mint(to, amount, index);
    }

    function logBurnV2(address from, address target, uint256 amount, uint256 index) internal override {
        emit Burn(from, target, amount, index);
    }

    function burn(address from, address target, uint256 amount, uint256 index) external onlyPool {
        burnScaled(from, target, amount, index);
        if (target != address(this)) IERC20(UNDERLYING_ASSET_ADDRESS).safeTransfer(target, amount);
    }

    function transferUnderlyingTo(address to, uint256 amount) external onlyPool {
        IERC20(UNDERLYING_ASSET_ADDRESS).safeTransfer(to, amount);
    }

    function transferOnLiquidation(address from, address to, uint256 amount) external onlyPool {
        move(from, to, amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        move(msg.sender, to, amount);
        POOL.requireSolvent(msg.sender);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        move(from, to, amount);
        POOL.requireSolvent(from);
        return true;
    }

    /// Version 3 logs the interest of both accounts and the scaled amount.
    function move(address from, address to, uint256 amount) private {
        uint256 index = currentIndex();
        uint256 scaled = amount.rayDiv(index);
        (uint256 fromIncrease, uint256 toIncrease) = (accrue(from, index), accrue(to, index));
        scaledBalanceOf[from] -= scaled;
        scaledBalanceOf[to] += scaled;
        if (isV2) emit BalanceTransfer(from, to, amount, index);
        logIncrease(from, fromIncrease, index);
        logIncrease(to, toIncrease, index);
        emit Transfer(from, to, amount);
        if (!isV2) emit BalanceTransfer(from, to, scaled, index);
    }

    function logIncrease(address account, uint256 increase, uint256 index) private {
        if (increase == 0) return;
        emit Transfer(address(0), account, increase);
        emit Mint(msg.sender, account, increase, increase, index);
    }
}

/// The token of debts at a variable rate.
contract VariableDebtToken is ScaledToken {
    event Mint(address indexed from, address indexed onBehalfOf, uint256 value, uint256 index);
    event Burn(address indexed user, uint256 amount, uint256 index);

    constructor(ILendingPool pool, address asset, uint8 decimals_, string memory name_, string memory symbol_)
        LendingToken(pool, asset, decimals_, name_, symbol_)
    {}

    function currentIndex() internal view override returns (uint256) {
        return POOL.getReserveNormalizedVariableDebt(UNDERLYING_ASSET_ADDRESS);
    }

    function logMintV2(address caller, address to, uint256 amount, uint256 index) internal override {
        emit Mint(caller, to, amount, index);
    }

    function logBurnV2(address from, address, uint256 amount, uint256 index) internal override {
        emit Burn(from, amount, index);
    }

    function burn(address from, uint256 amount, uint256 index) external onlyPool {
        burnScaled(from, address(0), amount, index);
    }
}
