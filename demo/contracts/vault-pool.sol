// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IVaultPool, PoolVault} from "./pool-vault.sol";

/// A pool of a vault. Its shares are an ERC-20 token whose first units belong to nobody; numbers with 18 decimals are rounded down at each step.
abstract contract VaultPool is ERC20, IVaultPool {
    uint256 internal constant ONE = 1e18;
    uint256 internal constant SWAP_FEE = 3e15;
    uint256 internal constant MINIMUM_SHARES = 1e6;

    PoolVault public immutable vault;
    bytes32 public immutable getPoolId;

    constructor(PoolVault vault_, uint8 specialization) {
        vault = vault_;
        getPoolId = vault_.registerPool(specialization);
    }

    modifier onlyVault() {
        require(msg.sender == address(vault), "not the vault");
        _;
    }

    function totalSupply() public view override returns (uint256) {
        return super.totalSupply() + balanceOf(address(0));
    }

    function balanceOf(address account) public view override returns (uint256) {
        return account != address(0) ? super.balanceOf(account) : super.totalSupply() == 0 ? 0 : MINIMUM_SHARES;
    }

    /// The vault may transfer shares of every account.
    function allowance(address owner, address spender) public view override returns (uint256) {
        return spender == address(vault) ? type(uint256).max : super.allowance(owner, spender);
    }

    /// The amounts for which shares are redeemed.
    function queryExit(uint256 shares) external view returns (uint256[] memory amountsOut) {
        (, uint256[] memory balances,) = vault.getPoolTokens(getPoolId);
        return _proportional(balances, shares, _circulating(balances));
    }

    /// The shares of all accounts except the vault.
    function _circulating(uint256[] memory balances) internal view virtual returns (uint256);

    function _register(address[] memory tokens, address manager) internal {
        address[] memory managers = new address[](tokens.length);
        managers[0] = manager;
        vault.registerTokens(getPoolId, tokens, managers);
    }

    function _mintFirst(address recipient, uint256 shares) internal {
        _mint(recipient, shares - MINIMUM_SHARES);
        emit Transfer(address(0), address(0), MINIMUM_SHARES);
    }

    function _proportional(uint256[] memory balances, uint256 shares, uint256 supply) internal pure returns (uint256[] memory amounts) {
        amounts = new uint256[](balances.length);
        uint256 ratio = shares * ONE / supply;
        for (uint256 i = 0; i < balances.length; i++) amounts[i] = balances[i] * ratio / ONE;
    }

    function _cost(uint256[] memory balances, uint256 shares, uint256 supply) internal pure returns (uint256[] memory amounts) {
        amounts = new uint256[](balances.length);
        for (uint256 i = 0; i < balances.length; i++) amounts[i] = Math.ceilDiv(balances[i] * shares, supply);
    }
}

/// A pool of tokens with equal weights. Joins pay a part of the balances to the protocol.
contract WeightedVaultPool is VaultPool {
    uint256 private constant FIRST_SHARES = 1_000e18;
    uint256 private constant PROTOCOL_FEE = 1e13;

    constructor(PoolVault vault_, string memory name_, string memory symbol_, address[] memory tokens, address manager)
        ERC20(name_, symbol_)
        VaultPool(vault_, tokens.length == 2 ? 2 : 1)
    {
        _register(tokens, manager);
    }

    /// The part of the invariant that a share represents, which only fees change. Only for pools of two tokens.
    function getRate() external view returns (uint256) {
        (, uint256[] memory balances,) = vault.getPoolTokens(getPoolId);
        require(balances.length == 2, "not a pool of two tokens");
        return Math.sqrt(balances[0] * balances[1]) * 2 * ONE / totalSupply();
    }

    function onJoin(address, address recipient, uint256[] memory balances, uint256[] memory amounts, uint256 shares)
        external
        onlyVault
        returns (uint256[] memory amountsIn, uint256[] memory protocolFees)
    {
        protocolFees = new uint256[](balances.length);
        if (totalSupply() == 0) {
            _mintFirst(recipient, FIRST_SHARES);
            return (amounts, protocolFees);
        }
        for (uint256 i = 0; i < balances.length; i++) {
            protocolFees[i] = balances[i] * PROTOCOL_FEE / ONE;
            balances[i] -= protocolFees[i];
        }
        amountsIn = _cost(balances, shares, totalSupply());
        _mint(recipient, shares);
    }

    function onExit(address sender, uint256[] memory balances, uint256 shares)
        external
        onlyVault
        returns (uint256[] memory amountsOut, uint256[] memory protocolFees)
    {
        amountsOut = _proportional(balances, shares, totalSupply());
        protocolFees = new uint256[](balances.length);
        _burn(sender, shares);
    }

    function onSwap(uint256[] memory balances, uint256 indexIn, uint256 indexOut, uint256 amountIn)
        external
        view
        onlyVault
        returns (uint256)
    {
        uint256 net = amountIn * (ONE - SWAP_FEE) / ONE;
        return balances[indexOut] * net / (balances[indexIn] + net);
    }

    function _circulating(uint256[] memory) internal view override returns (uint256) {
        return totalSupply();
    }
}
