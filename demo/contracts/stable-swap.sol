// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// The pool token of a pool that is not itself a token.
contract StableSwapToken is ERC20 {
    address public immutable minter = msg.sender;

    constructor(string memory name_, string memory symbol_) ERC20(name_, symbol_) {}

    function mint(address to, uint256 amount) external {
        require(msg.sender == minter);
        _mint(to, amount);
    }

    function burn(address from, uint256 amount) external {
        require(msg.sender == minter);
        _burn(from, amount);
    }
}

/// Announces pools, with the pool token of each.
contract StableSwapRegistry {
    event PoolAdded(address indexed pool, bytes rate_method_id);

    mapping(address => address) public get_lp_token;

    function add_pool(address pool, address token) external {
        get_lp_token[pool] = token;
        emit PoolAdded(pool, "");
    }
}

/// Pools of n tokens of equal value, by the invariant A·n^n·Σx + D = A·D·n^n + D^(n+1) / (n^n·Πx).
abstract contract StableSwap {
    using SafeERC20 for IERC20;

    event TokenExchange(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought);

    /// The placeholder address of the native currency.
    address internal constant native = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
    uint256 internal constant feeUnit = 1e10;
    uint256 internal constant fee = 4_000_000;
    uint256 internal constant adminFee = 5_000_000_000;

    address internal immutable owner = msg.sender;
    uint256 internal immutable n;
    /// A·n, as A includes n^(n−1).
    uint256 internal immutable ann;
    address[] internal _coins;
    /// Excludes the owner's fees.
    uint256[] internal _balances;
    /// The factors that scale the smallest unit of each coin to 18 decimals.
    uint256[] internal _units;

    constructor(address[] memory coins_, uint256 amplification) {
        n = coins_.length;
        ann = amplification * coins_.length;
        _coins = coins_;
        _balances = new uint256[](coins_.length);
        for (uint256 k = 0; k < coins_.length; k += 1)
            _units.push(coins_[k] == native ? 1 : 10 ** (18 - IERC20Metadata(coins_[k]).decimals()));
    }

    function shareSupply() internal view virtual returns (uint256);
    function mintShares(address to, uint256 amount) internal virtual;
    function burnShares(address from, uint256 amount) internal virtual;
    function logAdded(uint256[] memory amounts, uint256[] memory fees, uint256 invariant) internal virtual;
    function logRemoved(uint256[] memory amounts, uint256[] memory fees) internal virtual;
    function logImbalance(uint256[] memory amounts, uint256[] memory fees, uint256 invariant) internal virtual;
    function logRemovedOne(uint256 shares, uint256 amount) internal virtual;

    function get_virtual_price() external view returns (uint256) {
        return invariantOf(_balances) * 1e18 / shareSupply();
    }

    function exchange(uint256 i, uint256 j, uint256 sold, uint256 minimum) external payable returns (uint256 bought) {
        take(i, sold);
        uint256[] memory scaled = scaledOf(_balances);
        uint256 invariant = solveInvariant(scaled);
        scaled[i] += sold * _units[i];
        uint256 gross = scaled[j] - solveBalance(j, scaled, invariant) - 1;
        uint256 charged = gross * fee / feeUnit;
        bought = (gross - charged) / _units[j];
        require(bought >= minimum, "minimum");
        _balances[i] += sold;
        _balances[j] -= bought + charged * adminFee / feeUnit / _units[j];
        give(j, bought);
        emit TokenExchange(msg.sender, int128(int256(i)), sold, int128(int256(j)), bought);
    }

    function add_liquidity(uint256[] memory amounts, uint256 minimum) external payable returns (uint256 minted) {
        uint256[] memory before = _balances;
        uint256[] memory next = _balances;
        for (uint256 k = 0; k < n; k += 1) {
            take(k, amounts[k]);
            next[k] += amounts[k];
        }
        uint256 invariant = invariantOf(next);
        uint256[] memory fees = new uint256[](n);
        uint256 supply = shareSupply();
        if (supply == 0) {
            for (uint256 k = 0; k < n; k += 1) require(amounts[k] > 0, "first deposit");
            _balances = next;
            minted = invariant;
        } else {
            uint256 initial = invariantOf(before);
            fees = chargeImbalance(before, next, initial, invariant);
            minted = supply * (invariantOf(next) - initial) / initial;
        }
        require(minted >= minimum, "minimum");
        mintShares(msg.sender, minted);
        logAdded(amounts, fees, invariant);
    }

    function remove_liquidity(uint256 shares) external {
        uint256 supply = shareSupply();
        uint256[] memory amounts = new uint256[](n);
        for (uint256 k = 0; k < n; k += 1) {
            amounts[k] = _balances[k] * shares / supply;
            _balances[k] -= amounts[k];
            give(k, amounts[k]);
        }
        burnShares(msg.sender, shares);
        logRemoved(amounts, new uint256[](n));
    }

    function remove_liquidity_imbalance(uint256[] memory amounts, uint256 maximum) external returns (uint256 burned) {
        uint256[] memory before = _balances;
        uint256[] memory next = _balances;
        for (uint256 k = 0; k < n; k += 1) next[k] -= amounts[k];
        uint256 initial = invariantOf(before);
        uint256 invariant = invariantOf(next);
        uint256[] memory fees = chargeImbalance(before, next, initial, invariant);
        burned = (initial - invariantOf(next)) * shareSupply() / initial + 1;
        require(burned <= maximum, "maximum");
        burnShares(msg.sender, burned);
        for (uint256 k = 0; k < n; k += 1) give(k, amounts[k]);
        logImbalance(amounts, fees, invariant);
    }

    function remove_liquidity_one_coin(uint256 shares, uint256 i, uint256 minimum) external returns (uint256 amount) {
        uint256 charged;
        (amount, charged) = oneCoin(shares, i);
        require(amount >= minimum, "minimum");
        _balances[i] -= amount + charged * adminFee / feeUnit;
        burnShares(msg.sender, shares);
        give(i, amount);
        logRemovedOne(shares, amount);
    }

    function withdraw_admin_fees() external {
        require(msg.sender == owner);
        for (uint256 k = 0; k < n; k += 1) {
            uint256 held = _coins[k] == native ? address(this).balance : IERC20(_coins[k]).balanceOf(address(this));
            give(k, held - _balances[k]);
        }
    }

    /// The amount of one coin for shares, and the fee in it.
    function oneCoin(uint256 shares, uint256 i) private view returns (uint256 amount, uint256 charged) {
        uint256[] memory scaled = scaledOf(_balances);
        uint256 initial = solveInvariant(scaled);
        uint256 invariant = initial - shares * initial / shareSupply();
        uint256 target = solveBalance(i, scaled, invariant);
        uint256 gross = (scaled[i] - target) / _units[i];
        for (uint256 k = 0; k < n; k += 1) {
            uint256 ideal = scaled[k] * invariant / initial;
            scaled[k] -= (k == i ? ideal - target : scaled[k] - ideal) * imbalanceFee() / feeUnit;
        }
        amount = (scaled[i] - solveBalance(i, scaled, invariant) - 1) / _units[i];
        charged = gross - amount;
    }

    function imbalanceFee() private view returns (uint256) {
        return fee * n / (4 * (n - 1));
    }

    /// Charges fees for the deviation from the previous proportions: deducts them from `next`, and the owner's part from the stored balances.
    function chargeImbalance(uint256[] memory before, uint256[] memory next, uint256 initial, uint256 invariant)
        private
        returns (uint256[] memory fees)
    {
        fees = new uint256[](n);
        for (uint256 k = 0; k < n; k += 1) {
            uint256 ideal = invariant * before[k] / initial;
            fees[k] = imbalanceFee() * (ideal > next[k] ? ideal - next[k] : next[k] - ideal) / feeUnit;
            _balances[k] = next[k] - fees[k] * adminFee / feeUnit;
            next[k] -= fees[k];
        }
    }

    function scaledOf(uint256[] memory amounts) private view returns (uint256[] memory scaled) {
        scaled = new uint256[](n);
        for (uint256 k = 0; k < n; k += 1) scaled[k] = amounts[k] * _units[k];
    }

    function invariantOf(uint256[] memory amounts) private view returns (uint256) {
        return solveInvariant(scaledOf(amounts));
    }

    /// D, by Newton's method.
    function solveInvariant(uint256[] memory scaled) private view returns (uint256 d) {
        uint256 sum = 0;
        for (uint256 k = 0; k < n; k += 1) sum += scaled[k];
        if (sum == 0) return 0;
        d = sum;
        for (uint256 round = 0; round < 255; round += 1) {
            uint256 product = d;
            for (uint256 k = 0; k < n; k += 1) product = product * d / (scaled[k] * n);
            uint256 last = d;
            d = (ann * sum + product * n) * d / ((ann - 1) * d + (n + 1) * product);
            if (d > last ? d - last <= 1 : last - d <= 1) return d;
        }
        revert("no convergence");
    }

    /// The balance of coin j at which the others have the invariant d, by Newton's method.
    function solveBalance(uint256 j, uint256[] memory scaled, uint256 d) private view returns (uint256 y) {
        uint256 c = d;
        uint256 sum = 0;
        for (uint256 k = 0; k < n; k += 1) {
            if (k == j) continue;
            sum += scaled[k];
            c = c * d / (scaled[k] * n);
        }
        c = c * d / (ann * n);
        uint256 b = sum + d / ann;
        y = d;
        for (uint256 round = 0; round < 255; round += 1) {
            uint256 last = y;
            y = (y * y + c) / (2 * y + b - d);
            if (y > last ? y - last <= 1 : last - y <= 1) return y;
        }
        revert("no convergence");
    }

    function take(uint256 i, uint256 amount) private {
        if (_coins[i] == native) require(msg.value == amount, "value");
        else IERC20(_coins[i]).safeTransferFrom(msg.sender, address(this), amount);
    }

    function give(uint256 i, uint256 amount) private {
        if (_coins[i] != native) return IERC20(_coins[i]).safeTransfer(msg.sender, amount);
        (bool sent,) = msg.sender.call{value: amount}("");
        require(sent, "value");
    }
}

/// The events of pools with two coins.
abstract contract StableSwap2 is StableSwap {
    event AddLiquidity(address indexed provider, uint256[2] token_amounts, uint256[2] fees, uint256 invariant, uint256 token_supply);
    event RemoveLiquidity(address indexed provider, uint256[2] token_amounts, uint256[2] fees, uint256 token_supply);
    event RemoveLiquidityImbalance(
        address indexed provider, uint256[2] token_amounts, uint256[2] fees, uint256 invariant, uint256 token_supply
    );

    function pair(uint256[] memory list) private pure returns (uint256[2] memory) {
        return [list[0], list[1]];
    }

    function logAdded(uint256[] memory amounts, uint256[] memory fees, uint256 invariant) internal override {
        emit AddLiquidity(msg.sender, pair(amounts), pair(fees), invariant, shareSupply());
    }

    function logRemoved(uint256[] memory amounts, uint256[] memory fees) internal override {
        emit RemoveLiquidity(msg.sender, pair(amounts), pair(fees), shareSupply());
    }

    function logImbalance(uint256[] memory amounts, uint256[] memory fees, uint256 invariant) internal override {
        emit RemoveLiquidityImbalance(msg.sender, pair(amounts), pair(fees), invariant, shareSupply());
    }
}

/// A pool of two coins that is its own pool token, as a factory deploys them.
contract PlainStableSwap is StableSwap2, ERC20 {
    event RemoveLiquidityOne(address indexed provider, uint256 token_amount, uint256 coin_amount, uint256 token_supply);

    constructor(string memory name_, string memory symbol_, address[] memory coins_, uint256 amplification)
        StableSwap(coins_, amplification)
        ERC20(name_, symbol_)
    {}

    function coins(uint256 i) external view returns (address) {
        return _coins[i];
    }

    function balances(uint256 i) external view returns (uint256) {
        return _balances[i];
    }

    function shareSupply() internal view override returns (uint256) {
        return totalSupply();
    }

    function mintShares(address to, uint256 amount) internal override {
        _mint(to, amount);
    }

    function burnShares(address from, uint256 amount) internal override {
        _burn(from, amount);
    }

    function logRemovedOne(uint256 shares, uint256 amount) internal override {
        emit RemoveLiquidityOne(msg.sender, shares, amount, totalSupply());
    }
}

/// A pool with a separate pool token.
abstract contract TokenStableSwap is StableSwap {
    event RemoveLiquidityOne(address indexed provider, uint256 token_amount, uint256 coin_amount);

    StableSwapToken internal immutable shares;

    constructor(string memory name_, string memory symbol_) {
        shares = new StableSwapToken(name_, symbol_);
    }

    function shareSupply() internal view override returns (uint256) {
        return shares.totalSupply();
    }

    function mintShares(address to, uint256 amount) internal override {
        shares.mint(to, amount);
    }

    function burnShares(address from, uint256 amount) internal override {
        shares.burn(from, amount);
    }

    function logRemovedOne(uint256 burned, uint256 amount) internal override {
        emit RemoveLiquidityOne(msg.sender, burned, amount);
    }
}

/// A pool of the native currency and a token that represents it.
contract EtherStableSwap is StableSwap2, TokenStableSwap {
    constructor(string memory name_, string memory symbol_, address[] memory coins_, uint256 amplification)
        StableSwap(coins_, amplification)
        TokenStableSwap(name_, symbol_)
    {}

    function coins(uint256 i) external view returns (address) {
        return _coins[i];
    }

    function balances(uint256 i) external view returns (uint256) {
        return _balances[i];
    }

    function lp_token() external view returns (address) {
        return address(shares);
    }
}

/// An early version of a pool, with three coins: its indices are signed, and only a registry knows its pool token.
contract BaseStableSwap is TokenStableSwap {
    event AddLiquidity(address indexed provider, uint256[3] token_amounts, uint256[3] fees, uint256 invariant, uint256 token_supply);
    event RemoveLiquidity(address indexed provider, uint256[3] token_amounts, uint256[3] fees, uint256 token_supply);
    event RemoveLiquidityImbalance(
        address indexed provider, uint256[3] token_amounts, uint256[3] fees, uint256 invariant, uint256 token_supply
    );

    constructor(string memory name_, string memory symbol_, address[] memory coins_, uint256 amplification, StableSwapRegistry registry)
        StableSwap(coins_, amplification)
        TokenStableSwap(name_, symbol_)
    {
        registry.add_pool(address(this), address(shares));
    }

    function coins(int128 i) external view returns (address) {
        return _coins[uint256(int256(i))];
    }

    function balances(int128 i) external view returns (uint256) {
        return _balances[uint256(int256(i))];
    }

    function triple(uint256[] memory list) private pure returns (uint256[3] memory) {
        return [list[0], list[1], list[2]];
    }

    function logAdded(uint256[] memory amounts, uint256[] memory fees, uint256 invariant) internal override {
        emit AddLiquidity(msg.sender, triple(amounts), triple(fees), invariant, shareSupply());
    }

    function logRemoved(uint256[] memory amounts, uint256[] memory fees) internal override {
        emit RemoveLiquidity(msg.sender, triple(amounts), triple(fees), shareSupply());
    }

    function logImbalance(uint256[] memory amounts, uint256[] memory fees, uint256 invariant) internal override {
        emit RemoveLiquidityImbalance(msg.sender, triple(amounts), triple(fees), invariant, shareSupply());
    }
}
