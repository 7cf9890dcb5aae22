import { compileWithPackages } from "../../../../support/solidity.ts";

const source = `
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

contract Coin is ERC20 {
  uint8 private immutable _decimals;
  constructor(string memory name, uint8 decimals_) ERC20(name, name) { _decimals = decimals_; }
  function decimals() public view override returns (uint8) { return _decimals; }
  function mint(address to, uint256 amount) external { _mint(to, amount); }
}

interface Vault {
  function joinPool(bytes32 poolId, address sender, address recipient, uint256[] calldata amounts, uint256 shares) external;
  function exitPool(bytes32 poolId, address sender, address recipient, uint256 shares) external;
  function swap(bytes32[] calldata poolIds, address[] calldata path, address sender, address recipient, uint256 amountIn) external returns (uint256);
}

/** Swaps in its own name with the caller's tokens, and acts in the name of accounts that approved it. */
contract Router {
  Vault private immutable vault;
  constructor(Vault vault_) { vault = vault_; }
  function swap(bytes32[] calldata poolIds, address[] calldata path, uint256 amountIn) external {
    ERC20(path[0]).transferFrom(msg.sender, address(this), amountIn);
    ERC20(path[0]).approve(address(vault), amountIn);
    uint256 amountOut = vault.swap(poolIds, path, address(this), address(this), amountIn);
    ERC20(path[path.length - 1]).transfer(msg.sender, amountOut);
  }
  function joinFor(bytes32 poolId, address account, uint256 shares) external { vault.joinPool(poolId, account, account, new uint256[](0), shares); }
  function exitFor(bytes32 poolId, address account, address recipient, uint256 shares) external { vault.exitPool(poolId, account, recipient, shares); }
  function swapFor(bytes32[] calldata poolIds, address[] calldata path, address account, uint256 amountIn) external {
    vault.swap(poolIds, path, account, account, amountIn);
  }
  /** Two joins of one pool in a transaction. */
  function joinTwice(bytes32 poolId, address account, uint256 shares) external {
    vault.joinPool(poolId, account, account, new uint256[](0), shares);
    vault.joinPool(poolId, account, account, new uint256[](0), 2 * shares);
  }
}

/** A vault that emits any events, and returns any tokens of a pool, or none. */
contract HostileVault {
  event PoolRegistered(bytes32 indexed poolId, address indexed poolAddress, uint8 specialization);
  event TokensRegistered(bytes32 indexed poolId, address[] tokens, address[] assetManagers);
  event PoolBalanceChanged(bytes32 indexed poolId, address indexed liquidityProvider, address[] tokens, int256[] deltas, uint256[] protocolFeeAmounts);
  event Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut);
  mapping(bytes32 => address[]) private _tokens;
  mapping(bytes32 => uint256[]) private _balances;
  function register(bytes32 poolId, address pool, address[] calldata tokens, uint256[] calldata balances) external {
    emit PoolRegistered(poolId, pool, 0);
    _tokens[poolId] = tokens;
    _balances[poolId] = balances;
    emit TokensRegistered(poolId, tokens, tokens);
  }
  function change(bytes32 poolId, address provider, address[] calldata tokens, int256[] calldata deltas, uint256[] calldata fees) external {
    emit PoolBalanceChanged(poolId, provider, tokens, deltas, fees);
  }
  function swap(bytes32 poolId, address tokenIn, address tokenOut, uint256 amountIn, uint256 amountOut) external {
    emit Swap(poolId, tokenIn, tokenOut, amountIn, amountOut);
  }
  /** A log with the topic of Swap that does not encode a Swap. */
  function garbage(bytes32 topic) external { assembly { log1(0, 7, topic) } }
  function getPoolTokens(bytes32 poolId) external view returns (address[] memory, uint256[] memory, uint256) {
    require(_tokens[poolId].length > 0, "no tokens");
    return (_tokens[poolId], _balances[poolId], block.number);
  }
}

/** Shares whose supply is any number, or cannot be read. */
contract HostilePool is ERC20 {
  uint256 private immutable supply;
  constructor(uint256 supply_) ERC20("Hostile", "HST") { supply = supply_; _mint(msg.sender, 1e18); }
  function totalSupply() public view override returns (uint256) {
    require(supply != 1, "no supply");
    return supply;
  }
}
`;

/** Tokens with any decimals, a router, and a vault and pools that report anything. */
export const contracts = compileWithPackages(source);
