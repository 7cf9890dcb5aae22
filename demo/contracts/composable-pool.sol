// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {PoolVault} from "./pool-vault.sol";
import {VaultPool} from "./vault-pool.sol";

/**
 * A pool of tokens of equal value that also holds its own shares: almost all of them are minted to the vault at the first join, so that swaps can
 * act as joins and exits. The protocol's part of the fees is minted as shares at joins and exits.
 */
contract ComposableVaultPool is VaultPool {
    uint256 private constant PREMINTED = 2 ** 111;

    /// The position of the pool's own shares among its tokens: the last.
    uint256 private immutable _own;
    uint256[] private _scales;
    uint256 private _dueShares;

    constructor(PoolVault vault_, string memory name_, string memory symbol_, address[] memory others, address manager)
        ERC20(name_, symbol_)
        VaultPool(vault_, 0)
    {
        _own = others.length;
        address[] memory tokens = new address[](others.length + 1);
        for (uint256 i = 0; i < others.length; i++) {
            tokens[i] = others[i];
            _scales.push(10 ** (18 - IERC20Metadata(others[i]).decimals()));
        }
        tokens[_own] = address(this);
        _register(tokens, manager);
    }

    /// The shares outside of the vault, including those that are due to the protocol.
    function getActualSupply() external view returns (uint256) {
        (, uint256[] memory balances,) = vault.getPoolTokens(getPoolId);
        return _circulating(balances);
    }

    function getRate() external view returns (uint256) {
        (, uint256[] memory balances,) = vault.getPoolTokens(getPoolId);
        return _sum(balances) * ONE / _circulating(balances);
    }

    function onJoin(address sender, address recipient, uint256[] memory balances, uint256[] memory amounts, uint256 shares)
        external
        onlyVault
        returns (uint256[] memory amountsIn, uint256[] memory protocolFees)
    {
        protocolFees = new uint256[](balances.length);
        if (totalSupply() == 0) {
            uint256 first = _sum(amounts);
            amounts[_own] = PREMINTED - first;
            _mint(sender, amounts[_own]);
            _mintFirst(recipient, first);
            return (amounts, protocolFees);
        }
        amountsIn = _cost(balances, shares, _mintDue(balances));
        amountsIn[_own] = 0;
        _mint(recipient, shares);
    }

    function onExit(address sender, uint256[] memory balances, uint256 shares)
        external
        onlyVault
        returns (uint256[] memory amountsOut, uint256[] memory protocolFees)
    {
        amountsOut = _proportional(balances, shares, _mintDue(balances));
        amountsOut[_own] = 0;
        protocolFees = new uint256[](balances.length);
        _burn(sender, shares);
    }

    function onSwap(uint256[] memory balances, uint256 indexIn, uint256 indexOut, uint256 amountIn)
        external
        onlyVault
        returns (uint256)
    {
        uint256 supply = _circulating(balances);
        uint256 sum = _sum(balances);
        uint256 value = indexIn == _own ? amountIn * sum / supply : amountIn * _scales[indexIn];
        uint256 fee = value * SWAP_FEE / ONE;
        _dueShares += fee * supply / sum / 10;
        return indexOut == _own ? (value - fee) * supply / sum : (value - fee) / _scales[indexOut];
    }

    function _circulating(uint256[] memory balances) internal view override returns (uint256) {
        return totalSupply() - balances[_own] + _dueShares;
    }

    function _mintDue(uint256[] memory balances) private returns (uint256 supply) {
        supply = _circulating(balances);
        _mint(vault.feesCollector(), _dueShares);
        _dueShares = 0;
    }

    /// The sum of the balances of all tokens except the shares, with 18 decimals.
    function _sum(uint256[] memory balances) private view returns (uint256 sum) {
        for (uint256 i = 0; i < _own; i++) sum += balances[i] * _scales[i];
    }
}
