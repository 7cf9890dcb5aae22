import { createRequire } from "node:module";
import { type Abi, decodeEventLog, encodePacked } from "viem";
import type { Address, Hash, Hex } from "../../../../runtime/lib/hex.ts";
import { type Artifact, encodeCall, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { compileSolidity } from "../../../support/solidity.ts";
import { readContract } from "./support.ts";

const require = createRequire(import.meta.url);
const load = (path: string): Artifact => {
  const { abi, bytecode } = require(path) as { abi: Abi; bytecode: Hex };
  return { abi, bytecode };
};

/** The published builds of Uniswap V3. */
export const uniswapV3 = {
  factory: () => load("@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json"),
  pool: () => load("@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json"),
  positionManager: () => load("@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json"),
  router: () => load("@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json"),
};

/** A contract that borrows from a pool, and repays more than the loan and its fee from its own balance. */
const compiled = compileSolidity(`
pragma solidity ^0.8.0;
interface Token {
  function transfer(address, uint256) external returns (bool);
}
interface Pool {
  function flash(address recipient, uint256 amount0, uint256 amount1, bytes calldata data) external;
}
contract FlashBorrower {
  Token token0;
  Token token1;
  uint256 lent0;
  uint256 lent1;
  uint256 tip;
  constructor(Token first, Token second) { token0 = first; token1 = second; }
  function borrow(Pool pool, uint256 amount0, uint256 amount1, uint256 extra) external {
    (lent0, lent1, tip) = (amount0, amount1, extra);
    pool.flash(address(this), amount0, amount1, "");
  }
  function uniswapV3FlashCallback(uint256 fee0, uint256 fee1, bytes calldata) external {
    token0.transfer(msg.sender, lent0 + fee0 + tip);
    token1.transfer(msg.sender, lent1 + fee1 + tip);
  }
}`);
export const flashBorrower = (): Artifact => compiled("FlashBorrower");

const toLower = (address: string): Address => address.toLowerCase() as Address;
const deadline = 2n ** 40n;
const gas = 5_000_000n;

/** A pool's tokens in ascending order of address, and its fee in millionths. */
export interface PoolKey {
  readonly tokens: readonly [Address, Address];
  readonly fee: number;
}

/** An exchange with concentrated liquidity on a test chain. */
export interface ConcentratedExchange {
  readonly factory: Address;
  readonly positionManager: Address;
  readonly router: Address;
  poolOf(key: PoolKey): Promise<Address>;
  /** Creates a pool, and initializes it with a price unless the price is null. */
  create(key: PoolKey, sqrtPriceX96: bigint | null): TestTransaction;
  initialize(pool: Address, sqrtPriceX96: bigint): TestTransaction;
  /** Opens a position with no more than these amounts. */
  openPosition(from: Address, key: PoolKey, ticks: readonly [number, number], amounts: readonly [bigint, bigint]): TestTransaction;
  decreaseLiquidity(from: Address, position: bigint, liquidity: bigint): TestTransaction;
  collect(from: Address, position: bigint, max: readonly [bigint, bigint]): TestTransaction;
  swap(from: Address, amount: bigint, key: PoolKey, side: 0 | 1, to?: Address): TestTransaction;
  /** Swaps through several pools, with one fee or one for each. */
  swapPath(from: Address, amount: bigint, path: readonly Address[], fees: number | readonly number[]): TestTransaction;
}

export const deployConcentrated = async (chain: TestChain, weth: Address): Promise<ConcentratedExchange> => {
  const factory = toLower(await chain.deploy(uniswapV3.factory()));
  const positionManager = toLower(await chain.deploy(uniswapV3.positionManager(), [factory, weth, weth]));
  const router = toLower(await chain.deploy(uniswapV3.router(), [factory, weth]));
  const callPositions = (from: Address, name: string, ...args: unknown[]): TestTransaction => ({
    from,
    gas,
    ...encodeCall(uniswapV3.positionManager(), positionManager, name, args),
  });
  return {
    factory,
    positionManager,
    router,
    poolOf: async ({ tokens, fee }) =>
      toLower(await readContract<Address>(chain, uniswapV3.factory(), factory, "getPool", [...tokens, fee], await chain.head())),
    create: ({ tokens, fee }, sqrtPriceX96) =>
      sqrtPriceX96 === null
        ? { gas: 6_000_000n, ...encodeCall(uniswapV3.factory(), factory, "createPool", [...tokens, fee]) }
        : {
            gas: 6_000_000n,
            ...encodeCall(uniswapV3.positionManager(), positionManager, "createAndInitializePoolIfNecessary", [
              ...tokens,
              fee,
              sqrtPriceX96,
            ]),
          },
    initialize: (pool, sqrtPriceX96) => ({ gas, ...encodeCall(uniswapV3.pool(), pool, "initialize", [sqrtPriceX96]) }),
    openPosition: (from, { tokens: [token0, token1], fee }, [tickLower, tickUpper], [amount0Desired, amount1Desired]) =>
      callPositions(from, "mint", {
        token0,
        token1,
        fee,
        tickLower,
        tickUpper,
        amount0Desired,
        amount1Desired,
        amount0Min: 0n,
        amount1Min: 0n,
        recipient: from,
        deadline,
      }),
    decreaseLiquidity: (from, tokenId, liquidity) =>
      callPositions(from, "decreaseLiquidity", { tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline }),
    collect: (from, tokenId, [amount0Max, amount1Max]) =>
      callPositions(from, "collect", { tokenId, recipient: from, amount0Max, amount1Max }),
    swap: (from, amountIn, { tokens, fee }, side, to = from) => ({
      from,
      gas,
      ...encodeCall(uniswapV3.router(), router, "exactInputSingle", [
        {
          tokenIn: tokens[side],
          tokenOut: tokens[side === 0 ? 1 : 0],
          fee,
          recipient: to,
          deadline,
          amountIn,
          amountOutMinimum: 0n,
          sqrtPriceLimitX96: 0n,
        },
      ]),
    }),
    swapPath: (from, amountIn, path, fees) => ({
      from,
      gas,
      ...encodeCall(uniswapV3.router(), router, "exactInput", [
        {
          path: encodePacked(
            path.flatMap((_, position) => (position === 0 ? ["address"] : ["uint24", "address"])),
            path.flatMap((token, position) => (position === 0 ? [token] : [typeof fees === "number" ? fees : fees[position - 1], token])),
          ),
          recipient: from,
          deadline,
          amountIn,
          amountOutMinimum: 0n,
        },
      ]),
    }),
  };
};

/** A pool event from the node. */
export interface PoolLog {
  readonly block: number;
  readonly index: number;
  readonly transaction: Hash;
  readonly address: Address;
  readonly name: string;
  readonly args: Readonly<Record<string, bigint | number | Address>>;
}

/** All pool events up to a height, in order. */
export const concentratedLogs = async (chain: TestChain, pools: readonly Address[], height: number): Promise<PoolLog[]> => {
  const logs = await chain.rpc<
    { blockNumber: Hex; logIndex: Hex; transactionHash: Hash; address: Address; topics: [Hex, ...Hex[]]; data: Hex }[]
  >("eth_getLogs", [{ fromBlock: "0x0", toBlock: `0x${height.toString(16)}`, address: pools }]);
  return logs.map(({ blockNumber, logIndex, transactionHash, address, topics, data }) => {
    const { eventName, args } = decodeEventLog({ abi: uniswapV3.pool().abi, topics, data }) as unknown as {
      eventName: string;
      args: PoolLog["args"];
    };
    return {
      block: Number(blockNumber),
      index: Number(logIndex),
      transaction: transactionHash,
      address: toLower(address),
      name: eventName,
      args,
    };
  });
};
