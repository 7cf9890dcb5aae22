import { expect } from "vitest";
import { createRandom } from "../../../../../demo/story/random.ts";
import type { Address, Hex } from "../../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { builtInProtocol, createItemsOf, type ItemsOf, insertTokens, type KnownToken, timeOf } from "../operations.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { type CToken, type CTokenFixture, type CTokenMarkets, readAt, startCTokenMarkets, variants } from "./market.ts";

/** The price of every asset except the native token, in US dollars per whole token. */
const price = 3;

/** The protocols of the family, with the variants of their market contracts. */
export const family = [
  { id: "protocol_04", kinds: [variants.oldest, variants.cash] as const },
  { id: "protocol_08", kinds: [variants.balance, variants.balance] as const },
] as const;

/** Markets after a month of use, and their index. */
export interface CTokenStory<Market extends CTokenFixture = CTokenMarkets> {
  readonly chain: TestChain;
  readonly market: Market;
  readonly testDatabase: TestDatabase;
  readonly index: CommunityIndex;
  /** Heights at which responses are compared; between some of them, no market was touched. */
  readonly heights: readonly number[];
  readonly head: number;
  readonly itemsOf: ItemsOf;
  /** What a market function returns at a height. */
  view(market: CToken, name: string, args: readonly unknown[], height: number): Promise<bigint>;
  /** The value of an amount in a market's asset; null for the native token, which has no price. */
  inDollars(amount: bigint, market: CToken): number | null;
  end(): Promise<void>;
}

export const startCTokenStory = async ({ id, kinds }: (typeof family)[number]): Promise<CTokenStory> => {
  const chain = await startTestChain();
  return playCTokenStory(id, chain, await startCTokenMarkets(chain, kinds));
};

/** The assets except the native token, with prices, and the market tokens. */
export const tokensOf = ({ all }: Pick<CTokenFixture, "all">): KnownToken[] => [
  ...all.flatMap(({ asset, decimals }) => (asset === null ? [] : [{ address: asset, name: "Asset", decimals, price }])),
  ...all.map(({ address }) => ({ address, name: "Receipt", decimals: 8 })),
];

/** Runs the story on a protocol's markets, and indexes them. */
export const playCTokenStory = async <Market extends CTokenFixture>(
  id: string,
  chain: TestChain,
  market: Market,
): Promise<CTokenStory<Market>> => {
  const testDatabase = await createTestDatabase();
  const protocol = builtInProtocol(id);
  const community = { [id]: { comptroller: [market.registry] } };
  const index = await startCommunityIndex(chain, testDatabase.database, { protocols: [protocol], community });
  const heights = await runStory(chain, market, id);
  await index.sync();
  await insertTokens(testDatabase.database, tokensOf(market));
  return {
    ...{ chain, market, testDatabase, index, heights },
    head: await chain.head(),
    itemsOf: createItemsOf(testDatabase.database, protocol),
    view: (cToken, name, args, height) => readAt(chain, market.artifactOf(cToken), cToken.address, name, args, height),
    inDollars: (amount, { asset, decimals }) => (asset === null ? null : (Number(amount) / 10 ** decimals) * price),
    end: async () => {
      await index.end();
      await testDatabase.drop();
      await chain.stop();
    },
  };
};

/** Expects a value in dollars to equal the expected one up to the precision of doubles, or to be null if null is expected. */
export const expectQuote = (found: unknown, expected: number | null): void => {
  if (expected === null) expect(found).toBeNull();
  else expect(Math.abs((found as number) - expected)).toBeLessThanOrEqual(expected * 1e-12);
};

/** Runs a month of random actions, a liquidation, a donation, and blocks without events. Returns the heights at which responses are compared. */
const runStory = async (chain: TestChain, market: CTokenFixture, seed: string): Promise<number[]> => {
  const random = createRandom(`cToken markets of ${seed}`);
  const { debtor } = market;
  const [first, , third] = market.people as [Address, Address, Address];
  const [gold, dollar] = market.tokens;
  const heights = [await chain.head()];
  let time = (await timeOf(chain, await chain.head())) + 86_400;
  const mine = async (): Promise<void> => {
    time += 43_200;
    await chain.mine(time);
  };
  for (const from of market.people)
    await chain.send(
      ...market.all.map((cToken) =>
        market.supply(from, cToken, 5n * 10n ** BigInt(cToken.asset === null ? cToken.decimals : cToken.decimals + 3)),
      ),
    );
  await mine();
  for (let step = 0; step < 60; step += 1) {
    await chain.send(...Array.from({ length: random.between(2, 5) }, () => market.randomTransaction(random)));
    await mine();
    if (step % 15 === 7) {
      await mine();
      heights.push(await chain.head());
    }
  }
  // While the price of the borrowed asset is raised, the debtor owes more than its collateral covers.
  await chain.send(market.callFrom(debtor, gold, "mint", [10n ** 21n]), market.callFrom(debtor, dollar, "borrow", [5n * 10n ** 8n]));
  await mine();
  await chain.send(market.setPrice(dollar, 3n * 10n ** 30n));
  await chain.send(market.callFrom(first, dollar, "liquidateBorrow", [debtor, 10n ** 8n, gold.address]));
  await chain.send(market.setPrice(dollar, 10n ** 30n));
  await mine();
  heights.push(await chain.head());
  // The transfer is in a block with an accrual, so this block's exchange rate is read.
  await chain.send(market.callFrom(third, gold, "accrueInterest"), market.callFrom(third, gold, "transfer", [first, 10n ** 11n]));
  await mine();
  // A donation alone changes the exchange rate without a market event.
  await chain.send({ from: first, to: gold.asset as Address, data: transferData(gold.address, 987_654_321n * 10n ** 9n) });
  await mine();
  heights.push(await chain.head());
  await mine();
  heights.push(await chain.head());
  return heights;
};

/** Calldata of transfer(address,uint256). */
const transferData = (to: Address, amount: bigint): Hex =>
  `0xa9059cbb${to.slice(2).padStart(64, "0")}${amount.toString(16).padStart(64, "0")}`;
