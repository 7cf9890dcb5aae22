import { compileSolidity } from "../../../../support/solidity.ts";

/** A pool router, and a pool that emits malformed events and whose views fail. */
export const ownContracts = compileSolidity(`
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;
interface Coin {
  function transferFrom(address from, address to, uint256 amount) external returns (bool);
  function transfer(address to, uint256 amount) external returns (bool);
  function approve(address spender, uint256 amount) external returns (bool);
  function balanceOf(address owner) external view returns (uint256);
}
interface Pool {
  function exchange(uint256 i, uint256 j, uint256 sold, uint256 minimum) external payable returns (uint256);
  function add_liquidity(uint256[] memory amounts, uint256 minimum) external payable returns (uint256);
}

contract PoolRouter {
  receive() external payable {}
  /** Exchanges for the account that pays, and sends what was bought to another one. */
  function exchangeFor(Pool pool, uint256 i, uint256 j, Coin sold, Coin bought, uint256 amount, address payer, address recipient) external {
    sold.transferFrom(payer, address(this), amount);
    sold.approve(address(pool), amount);
    bought.transfer(recipient, pool.exchange(i, j, amount, 0));
  }
  /** Adds liquidity in its own name, and sends the pool tokens on. */
  function addFor(Pool pool, Coin shares, Coin[] memory coins, uint256[] memory amounts, address recipient) external {
    for (uint256 k = 0; k < coins.length; k += 1) {
      coins[k].transferFrom(msg.sender, address(this), amounts[k]);
      coins[k].approve(address(pool), amounts[k]);
    }
    shares.transfer(recipient, pool.add_liquidity(amounts, 0));
  }
}

contract HostilePool {
  event TokenExchange(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought);
  /** The largest amounts, and ids of coins that do not exist. */
  function emitLargest() external { emit TokenExchange(msg.sender, type(int128).min, type(uint256).max, type(int128).max, type(uint256).max); }
  /** The event with less data than its parameters need. */
  function emitTruncated() external {
    bytes32 topic = keccak256("TokenExchange(address,int128,uint256,int128,uint256)");
    address sender = msg.sender;
    assembly { log2(0, 65, topic, sender) }
  }
  function coins(uint256) external pure returns (address) { revert("none"); }
  function balances(uint256) external pure returns (uint256) { revert("none"); }
}
`);
