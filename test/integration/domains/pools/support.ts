import { createRequire } from "node:module";
import { type Abi, concat, decodeEventLog, decodeFunctionResult, encodeFunctionData, pad } from "viem";
import type { Address, Hash, Hex } from "../../../../runtime/lib/hex.ts";
import { type Artifact, artifacts, encodeCall, type TestChain, type TestTransaction } from "../../../support/chain.ts";

const require = createRequire(import.meta.url);
const load = (path: string): Artifact => {
  const artifact = require(path) as { abi: Abi; evm: { bytecode: { object: string } } };
  return { abi: artifact.abi, bytecode: `0x${artifact.evm.bytecode.object}` };
};

/** The published builds of Uniswap V2. */
export const uniswapV2 = {
  factory: () => load("@uniswap/v2-core/build/UniswapV2Factory.json"),
  pair: () => load("@uniswap/v2-core/build/UniswapV2Pair.json"),
  router: () => load("@uniswap/v2-periphery/build/UniswapV2Router02.json"),
  /** Has a 1 % transfer fee. */
  deflating: () => load("@uniswap/v2-periphery/build/DeflatingERC20.json"),
};

const maxUint256 = 2n ** 256n - 1n;
const toLower = (address: string): Address => address.toLowerCase() as Address;

/** An exchange on a test chain. */
export interface TestExchange {
  readonly factory: Address;
  readonly router: Address;
  pairOf(first: Address, second: Address): Promise<Address>;
  addLiquidity(from: Address, tokens: readonly [Address, Address], amounts: readonly [bigint, bigint], to?: Address): TestTransaction;
  removeLiquidity(from: Address, tokens: readonly [Address, Address], shares: bigint): TestTransaction;
  swap(from: Address, amount: bigint, path: readonly Address[], to?: Address): TestTransaction;
}

/** Reads a contract as of a height. */
export const readContract = async <T>(
  chain: Pick<TestChain, "rpc">,
  artifact: Artifact,
  to: Address,
  name: string,
  args: readonly unknown[],
  height: number,
): Promise<T> => {
  const data = encodeFunctionData({ abi: artifact.abi, functionName: name, args });
  const result = await chain.rpc<Hex>("eth_call", [{ to, data }, `0x${height.toString(16)}`]);
  return decodeFunctionResult({ abi: artifact.abi, functionName: name, args, data: result }) as T;
};

export const deployExchange = async (chain: TestChain, weth: Address): Promise<TestExchange> => {
  const [owner] = chain.accounts;
  const factory = toLower(await chain.deploy(uniswapV2.factory(), [owner]));
  const router = toLower(await chain.deploy(uniswapV2.router(), [factory, weth]));
  const deadline = 2n ** 40n;
  const gas = 5_000_000n;
  return {
    factory,
    router,
    pairOf: async (first, second) =>
      toLower(await readContract<Address>(chain, uniswapV2.factory(), factory, "getPair", [first, second], await chain.head())),
    addLiquidity: (from, tokens, amounts, to = from) => ({
      from,
      gas,
      ...encodeCall(uniswapV2.router(), router, "addLiquidity", [...tokens, ...amounts, 0n, 0n, to, deadline]),
    }),
    removeLiquidity: (from, tokens, shares) => ({
      from,
      gas,
      ...encodeCall(uniswapV2.router(), router, "removeLiquidity", [...tokens, shares, 0n, 0n, from, deadline]),
    }),
    swap: (from, amount, path, to = from) => ({
      from,
      gas,
      ...encodeCall(uniswapV2.router(), router, "swapExactTokensForTokensSupportingFeeOnTransferTokens", [amount, 0n, path, to, deadline]),
    }),
  };
};

/** Sends transactions in one block. @throws {Error} if one of them fails. */
export const mineTransactions = async (chain: TestChain, transactions: readonly TestTransaction[], timestamp?: number): Promise<Hash[]> => {
  const hashes = await chain.send(...transactions);
  await chain.mine(timestamp);
  const receipts = await chain.batch<{ status: Hex }>(hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })));
  const failed = receipts.findIndex(({ status }) => status !== "0x1");
  if (failed >= 0) throw new Error(`Transaction ${failed} of the block failed`);
  return hashes;
};

export const mint = (token: Address, to: Address, amount: bigint): TestTransaction =>
  encodeCall(artifacts.erc20(), token, "mint", [to, amount]);
export const approve = (from: Address, token: Address, spender: Address): TestTransaction => ({
  from,
  ...encodeCall(artifacts.erc20(), token, "approve", [spender, maxUint256]),
});

/** Makes an address emit a log in a separate block: replaces its code with code that logs its calldata (the topics, followed by the data). */
export const emit = async (chain: TestChain, emitter: Address, topics: readonly Hex[], data: Hex): Promise<void> => {
  const byte = (value: number): string => value.toString(16).padStart(2, "0");
  const dataSize = `60${byte(32 * topics.length)}3603`;
  const push = topics.map((_, position) => `60${byte(32 * position)}35`).reverse();
  // Copies the data after the topics to memory (CALLDATACOPY), pushes the topics, and logs.
  const code = `${dataSize}60${byte(32 * topics.length)}600037${push.join("")}${dataSize}6000a${topics.length}00`;
  await chain.rpc("anvil_setCode", [emitter, `0x${code}`]);
  await mineTransactions(chain, [{ to: emitter, gas: 1_000_000n, data: concat([...topics.map((topic) => pad(topic)), data]) }]);
};

/** A pair event from the node. */
export interface PairLog {
  readonly block: number;
  readonly index: number;
  readonly transaction: Hash;
  readonly address: Address;
  readonly name: string;
  readonly args: Readonly<Record<string, bigint | Address>>;
}

/** All pair events up to a height, in order. */
export const pairLogs = async (chain: TestChain, pairs: readonly Address[], height: number): Promise<PairLog[]> => {
  const logs = await chain.rpc<
    { blockNumber: Hex; logIndex: Hex; transactionHash: Hash; address: Address; topics: [Hex, ...Hex[]]; data: Hex }[]
  >("eth_getLogs", [{ fromBlock: "0x0", toBlock: `0x${height.toString(16)}`, address: pairs }]);
  return logs.map(({ blockNumber, logIndex, transactionHash, address, topics, data }) => {
    const { eventName, args } = decodeEventLog({ abi: uniswapV2.pair().abi, topics, data }) as unknown as {
      eventName: string;
      args: PairLog["args"];
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
