import { createRequire } from "node:module";
import type { Abi } from "viem";
import type { Address, Hash } from "../../runtime/lib/hex.ts";
import { type Artifact, artifacts, encodeCall, type TestChain, type TestTransaction } from "../../test/support/chain.ts";

const require = createRequire(import.meta.url);
const load = (path: string): Artifact => {
  const { abi, bytecode, evm } = require(path) as { abi: Abi; bytecode?: Hash; evm?: { bytecode: { object: string } } };
  return { abi, bytecode: evm === undefined ? (bytecode ?? "0x") : `0x${evm.bytecode.object}` };
};

/** The published builds of Uniswap V2 and V3. */
const uniswap = {
  factory: () => load("@uniswap/v2-core/build/UniswapV2Factory.json"),
  router: () => load("@uniswap/v2-periphery/build/UniswapV2Router02.json"),
  concentratedFactory: () => load("@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json"),
  concentratedRouter: () => load("@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json"),
  positions: () => load("@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json"),
};

/** The gas limit of a pool's creation; a block has 30 million. */
const creationGas = 6_000_000n;
const swapGas = 300_000n;
const deadline = 2n ** 40n;
const feePpm = 3_000;
/** The sqrtPriceX96 of a price of 1: its square root with 96 fractional bits. */
const sqrtPriceOfOne = 2n ** 96n;
const maxTick = 887_220;

/** An exchange on a node, and the calls of its users. */
export interface ChainExchange {
  readonly name: string;
  readonly factory: Address;
  readonly family: "xy=k" | "concentrated";
  /** The spenders that traders and liquidity providers approve. */
  readonly spenders: readonly Address[];
  /** Returns the transactions that create a pool and deposit both tokens; the token with the lower address comes first. */
  createPool(from: Address, tokens: readonly [Address, Address], amount: bigint): readonly TestTransaction[];
  swap(from: Address, amount: bigint, tokens: readonly [Address, Address]): TestTransaction;
}

/** Deploys a constant-product exchange. */
export async function deployConstantProduct(chain: TestChain, name: string, wrapped: Address): Promise<ChainExchange> {
  const [owner] = chain.accounts;
  const factory = await chain.deploy(uniswap.factory(), [owner]);
  const contract = uniswap.router();
  const router = await chain.deploy(contract, [factory, wrapped]);
  return {
    name,
    factory,
    family: "xy=k",
    spenders: [router],
    createPool: (from, tokens, amount) => [
      { from, gas: creationGas, ...encodeCall(contract, router, "addLiquidity", [...tokens, amount, amount, 0n, 0n, from, deadline]) },
    ],
    swap: (from, amount, tokens) => ({
      from,
      gas: swapGas,
      ...encodeCall(contract, router, "swapExactTokensForTokens", [amount, 0n, tokens, from, deadline]),
    }),
  };
}

/** Deploys an exchange with concentrated liquidity, whose pools get full-range liquidity. */
export async function deployConcentrated(chain: TestChain, name: string, wrapped: Address): Promise<ChainExchange> {
  const factory = await chain.deploy(uniswap.concentratedFactory());
  const [positions, swapRouter] = [uniswap.positions(), uniswap.concentratedRouter()];
  const manager = await chain.deploy(positions, [factory, wrapped, wrapped]);
  const router = await chain.deploy(swapRouter, [factory, wrapped]);
  const range = { fee: feePpm, tickLower: -maxTick, tickUpper: maxTick };
  return {
    name,
    factory,
    family: "concentrated",
    spenders: [router, manager],
    createPool: (from, [token0, token1], amount) => [
      {
        from,
        gas: creationGas,
        ...encodeCall(positions, manager, "createAndInitializePoolIfNecessary", [token0, token1, feePpm, sqrtPriceOfOne]),
      },
      {
        from,
        gas: 1_000_000n,
        ...encodeCall(positions, manager, "mint", [
          {
            ...range,
            token0,
            token1,
            amount0Desired: amount,
            amount1Desired: amount,
            amount0Min: 0n,
            amount1Min: 0n,
            recipient: from,
            deadline,
          },
        ]),
      },
    ],
    swap: (from, amountIn, [tokenIn, tokenOut]) => ({
      from,
      gas: swapGas,
      ...encodeCall(swapRouter, router, "exactInputSingle", [
        { tokenIn, tokenOut, fee: feePpm, recipient: from, deadline, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n },
      ]),
    }),
  };
}

export const mint = (token: Address, to: Address, amount: bigint): TestTransaction => ({
  gas: 200_000n,
  ...encodeCall(artifacts.erc20(), token, "mint", [to, amount]),
});
export const approve = (from: Address, token: Address, spender: Address): TestTransaction => ({
  from,
  gas: 100_000n,
  ...encodeCall(artifacts.erc20(), token, "approve", [spender, 2n ** 256n - 1n]),
});
export const transfer = (from: Address, token: Address, to: Address, amount: bigint): TestTransaction => ({
  from,
  gas: 100_000n,
  ...encodeCall(artifacts.erc20(), token, "transfer", [to, amount]),
});

/**
 * Installs a price feed whose code emits AnswerUpdated(int256 indexed, uint256 indexed, uint256) with the three words of the call data. Returns a
 * function that creates the transaction for an answer.
 */
export async function deployFeed(
  chain: TestChain,
  feed: Address,
): Promise<(answer: bigint, round: bigint, time: bigint) => TestTransaction> {
  const topic = "0559884fd3a460db3073b7fc896cc77986f16e378210ded43186175bf646fc5f";
  // MSTORE(0, third word); LOG3(0, 32, topic, first word, second word)
  await chain.rpc("anvil_setCode", [feed, `0x604035600052602035600035${`7f${topic}`}60206000a300`]);
  const word = (value: bigint): string => value.toString(16).padStart(64, "0");
  return (answer, round, time) => ({ to: feed, gas: 100_000n, data: `0x${word(answer)}${word(round)}${word(time)}` });
}
