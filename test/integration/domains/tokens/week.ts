import { createRandom, type Random } from "../../../../demo/story/random.ts";
import { type Address, type Hex, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { buildStory, type Story } from "../../../support/indexer/story-builder.ts";

export const secondsPerDay = 86_400;
/** The number of blocks on each day: one day has none. */
export const blocksOfDays = [9, 6, 0, 7, 5, 8];
/** 2023-11-16, the second midnight after the chain's genesis. */
export const firstDay = Date.UTC(2023, 10, 16) / 1000;

/** A chain with random transfers during a week, whose node has the state of every block. */
export interface Week {
  readonly chain: TestChain;
  readonly story: Story;
  readonly owners: readonly Address[];
  readonly head: number;
  /** The timestamp of each block. */
  readonly times: readonly number[];
  /** Calls contracts and returns their results as numbers. */
  readNumbers(calls: Parameters<TestChain["batch"]>[0]): Promise<bigint[]>;
  /** Reads an owner's balances at a height from the node, by token; the two ids of the ERC-1155 collection are summed. */
  nodeBalances(owner: Address, height: number): Promise<Map<Address, bigint>>;
}

const quantity = (value: number): Hex => `0x${value.toString(16)}`;

const randomTransaction = (random: Random, chain: TestChain, story: Story, owners: readonly Address[]): TestTransaction => {
  const [from, to] = [random.pick(chain.accounts.slice(0, 4)), random.pick(owners)];
  const amount = BigInt(random.between(0, 40));
  const candidates: TestTransaction[] = [
    { from, to, value: amount, gas: 60_000n },
    { from, ...encodeCall(artifacts.erc20(), story.erc20, "transfer", [to, amount]) },
    { ...encodeCall(artifacts.erc20(), story.erc20, "mint", [to, amount]) },
    { from, ...encodeCall(artifacts.erc20(), story.erc20, "burn", [amount]) },
    { from, ...encodeCall(artifacts.weth(), story.weth, "deposit"), value: amount },
    { from, ...encodeCall(artifacts.weth(), story.weth, "withdraw", [amount / 2n]) },
    { from, ...encodeCall(artifacts.weth(), story.weth, "transfer", [to, amount]) },
    { ...encodeCall(artifacts.erc721(), story.erc721, "mint", [to]) },
    { from, ...encodeCall(artifacts.erc721(), story.erc721, "transferFrom", [from, to, BigInt(random.between(0, 6))]) },
    { from, ...encodeCall(artifacts.erc1155(), story.erc1155, "safeTransferFrom", [from, to, 1n, amount / 10n, "0x"]) },
    { ...encodeCall(artifacts.erc1155(), story.erc1155, "mint", [to, 2n, amount, "0x"]) },
  ];
  return random.pick(candidates);
};

/** A JSON-RPC request that calls a contract's function at a height. */
export const contractCall = (
  to: Address,
  artifact: ReturnType<typeof artifacts.erc20>,
  name: string,
  args: readonly unknown[],
  height: number,
) => ({
  method: "eth_call",
  params: [encodeCall(artifact, to, name, args), quantity(height)],
});

const numbersOf = async (chain: TestChain, calls: Parameters<TestChain["batch"]>[0]): Promise<bigint[]> =>
  (await chain.batch<Hex>(calls)).map((value) => BigInt(value === "0x" ? 0 : value));

const nodeBalances = async (chain: TestChain, story: Story, owner: Address, height: number): Promise<Map<Address, bigint>> => {
  const [native, erc20, weth, erc721, first, second] = await numbersOf(chain, [
    { method: "eth_getBalance", params: [owner, quantity(height)] },
    contractCall(story.erc20, artifacts.erc20(), "balanceOf", [owner], height),
    contractCall(story.weth, artifacts.weth(), "balanceOf", [owner], height),
    contractCall(story.erc721, artifacts.erc721(), "balanceOf", [owner], height),
    contractCall(story.erc1155, artifacts.erc1155(), "balanceOf", [owner, 1n], height),
    contractCall(story.erc1155, artifacts.erc1155(), "balanceOf", [owner, 2n], height),
  ]);
  return new Map([
    [nativeTokenAddress, native ?? 0n],
    [story.erc20, erc20 ?? 0n],
    [story.weth, weth ?? 0n],
    [story.erc721, erc721 ?? 0n],
    [story.erc1155, (first ?? 0n) + (second ?? 0n)],
  ]);
};

/** Mines the week on a new chain. */
export const mineWeek = async (): Promise<Week> => {
  const random = createRandom("a week of transfers");
  const chain = await startTestChain();
  const story = await buildStory(chain, 2);
  const owners: readonly Address[] = [
    ...chain.accounts.slice(0, 5),
    "0x00000000000000000000000000000000000a11ce",
    "0x0000000000000000000000000000000000000b0b",
    story.weth,
  ];
  for (const [day, blockCount] of blocksOfDays.entries()) {
    for (let block = 0; block < blockCount; block += 1) {
      await chain.send(...Array.from({ length: random.between(0, 6) }, () => randomTransaction(random, chain, story, owners)));
      await chain.mine(firstDay + day * secondsPerDay + Math.floor((block * secondsPerDay) / (blockCount + 1)));
    }
  }
  const head = await chain.head();
  const blocks = await chain.batch<{ timestamp: Hex }>(
    Array.from({ length: head + 1 }, (_, height) => ({ method: "eth_getBlockByNumber", params: [quantity(height), false] })),
  );
  return {
    chain,
    story,
    owners,
    head,
    times: blocks.map(({ timestamp }) => Number(timestamp)),
    readNumbers: (calls) => numbersOf(chain, calls),
    nodeBalances: (owner, height) => nodeBalances(chain, story, owner, height),
  };
};
