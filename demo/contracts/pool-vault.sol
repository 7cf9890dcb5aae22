// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// The functions of a pool that the vault calls. Amounts are in the order of the pool's tokens.
interface IVaultPool {
    function onJoin(address sender, address recipient, uint256[] memory balances, uint256[] memory amounts, uint256 shares)
        external
        returns (uint256[] memory amountsIn, uint256[] memory protocolFees);
    function onExit(address sender, uint256[] memory balances, uint256 shares)
        external
        returns (uint256[] memory amountsOut, uint256[] memory protocolFees);
    function onSwap(uint256[] memory balances, uint256 indexIn, uint256 indexOut, uint256 amountIn) external returns (uint256 amountOut);
}

/// A vault that holds the tokens of many pools, with the events of Balancer V2. Only an account itself or a relayer that it approved can act for it.
contract PoolVault {
    using SafeERC20 for IERC20;

    event PoolRegistered(bytes32 indexed poolId, address indexed poolAddress, uint8 specialization);
    event TokensRegistered(bytes32 indexed poolId, address[] tokens, address[] assetManagers);
    event PoolBalanceChanged(
        bytes32 indexed poolId, address indexed liquidityProvider, address[] tokens, int256[] deltas, uint256[] protocolFeeAmounts
    );
    event Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut);
    event PoolBalanceManaged(
        bytes32 indexed poolId, address indexed assetManager, address indexed token, int256 cashDelta, int256 managedDelta
    );

    struct Balance {
        uint256 cash;
        uint256 managed;
        address manager;
    }

    uint8 private constant WITHDRAW = 0;
    uint8 private constant DEPOSIT = 1;

    address public immutable feesCollector;
    mapping(address account => mapping(address relayer => bool)) public hasApprovedRelayer;
    mapping(bytes32 poolId => address[]) private _tokens;
    mapping(bytes32 poolId => uint256) private _lastChangeBlock;
    mapping(bytes32 poolId => mapping(address token => Balance)) private _balances;
    uint256 private _pools;

    constructor(address feesCollector_) {
        feesCollector = feesCollector_;
    }

    modifier onlyFor(address account) {
        require(msg.sender == account || hasApprovedRelayer[account][msg.sender], "not a relayer of the account");
        _;
    }

    modifier onlyPool(bytes32 poolId) {
        require(msg.sender == poolOf(poolId), "not the pool");
        _;
    }

    function setRelayerApproval(address relayer, bool approved) external {
        hasApprovedRelayer[msg.sender][relayer] = approved;
    }

    /// The id of a pool starts with its address.
    function registerPool(uint8 specialization) external returns (bytes32 poolId) {
        poolId = bytes32((uint256(uint160(msg.sender)) << 96) | (uint256(specialization) << 80) | _pools++);
        emit PoolRegistered(poolId, msg.sender, specialization);
    }

    function registerTokens(bytes32 poolId, address[] calldata tokens, address[] calldata managers) external onlyPool(poolId) {
        for (uint256 i = 0; i < tokens.length; i++) {
            _tokens[poolId].push(tokens[i]);
            _balances[poolId][tokens[i]].manager = managers[i];
        }
        emit TokensRegistered(poolId, tokens, managers);
    }

    function poolOf(bytes32 poolId) public pure returns (address) {
        return address(bytes20(poolId));
    }

    function getPoolTokens(bytes32 poolId)
        public
        view
        returns (address[] memory tokens, uint256[] memory balances, uint256 lastChangeBlock)
    {
        tokens = _tokens[poolId];
        balances = new uint256[](tokens.length);
        for (uint256 i = 0; i < tokens.length; i++) {
            Balance storage own = _balances[poolId][tokens[i]];
            balances[i] = own.cash + own.managed;
        }
        lastChangeBlock = _lastChangeBlock[poolId];
    }

    /// The first join deposits `amounts`; later joins deposit what `shares` cost.
    function joinPool(bytes32 poolId, address sender, address recipient, uint256[] calldata amounts, uint256 shares)
        external
        onlyFor(sender)
    {
        (address[] memory tokens, uint256[] memory balances,) = getPoolTokens(poolId);
        (uint256[] memory amountsIn, uint256[] memory fees) =
            IVaultPool(poolOf(poolId)).onJoin(sender, recipient, balances, amounts, shares);
        int256[] memory deltas = new int256[](tokens.length);
        for (uint256 i = 0; i < tokens.length; i++) {
            _receive(tokens[i], sender, amountsIn[i]);
            _send(tokens[i], feesCollector, fees[i]);
            _balances[poolId][tokens[i]].cash += amountsIn[i];
            _balances[poolId][tokens[i]].cash -= fees[i];
            deltas[i] = int256(amountsIn[i]);
        }
        _lastChangeBlock[poolId] = block.number;
        emit PoolBalanceChanged(poolId, sender, tokens, deltas, fees);
    }

    function exitPool(bytes32 poolId, address sender, address recipient, uint256 shares) external onlyFor(sender) {
        (address[] memory tokens, uint256[] memory balances,) = getPoolTokens(poolId);
        (uint256[] memory amountsOut, uint256[] memory fees) = IVaultPool(poolOf(poolId)).onExit(sender, balances, shares);
        int256[] memory deltas = new int256[](tokens.length);
        for (uint256 i = 0; i < tokens.length; i++) {
            _send(tokens[i], recipient, amountsOut[i]);
            _send(tokens[i], feesCollector, fees[i]);
            _balances[poolId][tokens[i]].cash -= amountsOut[i] + fees[i];
            deltas[i] = -int256(amountsOut[i]);
        }
        _lastChangeBlock[poolId] = block.number;
        emit PoolBalanceChanged(poolId, sender, tokens, deltas, fees);
    }

    /// Swaps along a path, one pool for each step; only its first and its last token are transferred.
    function swap(bytes32[] calldata poolIds, address[] calldata path, address sender, address recipient, uint256 amountIn)
        external
        onlyFor(sender)
        returns (uint256 amount)
    {
        amount = amountIn;
        for (uint256 step = 0; step < poolIds.length; step++) {
            amount = _swapInPool(poolIds[step], path[step], path[step + 1], amount);
        }
        _receive(path[0], sender, amountIn);
        _send(path[poolIds.length], recipient, amount);
    }

    /// An asset manager withdraws a token from the pool, returns it, or reports its managed balance.
    function managePoolBalance(bytes32 poolId, address token, uint8 kind, uint256 amount) external {
        Balance storage own = _balances[poolId][token];
        require(msg.sender == own.manager, "not the asset manager");
        int256 signed = SafeCast.toInt256(amount);
        (int256 cash, int256 managed) = kind == WITHDRAW
            ? (-signed, signed)
            : kind == DEPOSIT ? (signed, -signed) : (int256(0), signed - int256(own.managed));
        own.cash = SafeCast.toUint256(int256(own.cash) + cash);
        own.managed = SafeCast.toUint256(int256(own.managed) + managed);
        if (kind == WITHDRAW) _send(token, msg.sender, amount);
        else if (kind == DEPOSIT) _receive(token, msg.sender, amount);
        _lastChangeBlock[poolId] = block.number;
        emit PoolBalanceManaged(poolId, msg.sender, token, cash, managed);
    }

    function _swapInPool(bytes32 poolId, address tokenIn, address tokenOut, uint256 amountIn) private returns (uint256 amountOut) {
        (address[] memory tokens, uint256[] memory balances,) = getPoolTokens(poolId);
        uint256 indexIn = _indexOf(tokens, tokenIn);
        amountOut = IVaultPool(poolOf(poolId)).onSwap(balances, indexIn, _indexOf(tokens, tokenOut), amountIn);
        _balances[poolId][tokenIn].cash += amountIn;
        _balances[poolId][tokenOut].cash -= amountOut;
        _lastChangeBlock[poolId] = block.number;
        emit Swap(poolId, tokenIn, tokenOut, amountIn, amountOut);
    }

    function _indexOf(address[] memory tokens, address token) private pure returns (uint256 index) {
        while (tokens[index] != token) index++;
    }

    function _receive(address token, address from, uint256 amount) private {
        if (amount > 0) IERC20(token).safeTransferFrom(from, address(this), amount);
    }

    function _send(address token, address to, uint256 amount) private {
        if (amount > 0) IERC20(token).safeTransfer(to, amount);
    }
}
