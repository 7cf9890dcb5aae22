import { createRandom } from "../../../../../demo/story/random.ts";
import type { Protocol } from "../../../../../runtime/declarations/protocol.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { insertTokens, type KnownToken, timeOf } from "../operations.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { contracts } from "./contracts.ts";
import { type Coin, type LendingMarket, poolPrice, startLending } from "./market.ts";

/** The contracts of a market, as an operator configures them. */
export const configurationOf = ({ pools }: LendingMarket) => {
  const configurators = (isV2: boolean) => pools.filter((pool) => pool.isV2 === isV2).map(({ configurator }) => configurator);
  return {
    protocol_01: { pool: pools.map(({ address }) => address), configurator: configurators(false), configurator_v2: configurators(true) },
  };
};

/** An indexed chain with a market. */
export interface IndexedLending {
  readonly chain: TestChain;
  readonly market: LendingMarket;
  readonly testDatabase: TestDatabase;
  readonly index: CommunityIndex;
  /** The block of the first action, and the indexed head. */
  readonly first: number;
  readonly head: number;
  end(): Promise<void>;
}

/** Runs weeks of actions on pools of both versions, and indexes them with metadata and prices for all tokens. */
export const startIndexedLending = async (protocol: Protocol, seed: string): Promise<IndexedLending> => {
  const chain = await startTestChain();
  const market = await startLending(chain);
  const testDatabase = await createTestDatabase();
  const index = await startCommunityIndex(chain, testDatabase.database, { protocols: [protocol], community: configurationOf(market) });
  const first = (await chain.head()) + 1;
  await playFixedSteps(chain, market);
  await playRandomSteps(chain, market, seed);
  await liquidate(chain, market, false);
  await liquidate(chain, market, true);
  await chain.mine((await timeOf(chain, await chain.head())) + 2);
  await index.sync();
  await insertTokens(testDatabase.database, tokensOf(market));
  const end = async () => {
    await index.end();
    await testDatabase.drop();
    await chain.stop();
  };
  return { chain, market, testDatabase, index, first, head: await chain.head(), end };
};

/** The coins, which have prices, and the aTokens. */
export const tokensOf = ({ coins, reserves }: LendingMarket): KnownToken[] => [
  ...coins.map(({ address, decimals, price }) => ({ address, decimals, price, name: `Coin ${decimals}` })),
  ...reserves.map(({ aToken, coin: { decimals } }) => ({ address: aToken, decimals, name: `Receipt ${decimals}` })),
];

/** Creates debts of both kinds, increases and partly repays them, and makes repayments and withdrawals smaller than the interest. */
export const playFixedSteps = async (chain: TestChain, { people, reserves }: LendingMarket): Promise<void> => {
  const [lender, borrower] = people as [Address, Address];
  const steps: readonly (readonly [Address, string, (asset: Address, unit: bigint) => readonly unknown[]])[] = [
    [lender, "supply", (asset, unit) => [asset, unit * 9_000n, lender, 0]],
    [borrower, "supply", (asset, unit) => [asset, unit * 9_000n + 1n, borrower, 0]],
    [borrower, "borrow", (asset, unit) => [asset, unit * 1_000n, 1, 0, borrower]],
    [borrower, "borrow", (asset, unit) => [asset, unit * 2_000n, 2, 0, borrower]],
    [borrower, "borrow", (asset, unit) => [asset, unit * 100n, 1, 0, borrower]],
    [lender, "withdraw", (asset) => [asset, 100n, lender]],
    [lender, "repay", (asset) => [asset, 101n, 1, borrower]],
    [borrower, "repay", (asset) => [asset, 102n, 2, borrower]],
    [borrower, "repay", (asset, unit) => [asset, unit * 300n, 1, borrower]],
  ];
  for (const [from, name, args] of steps) {
    const transactions = reserves.map(({ coin: { address, decimals }, pool }): TestTransaction => {
      return { from, ...encodeCall(contracts("LendingPool"), pool, name, args(address, 10n ** BigInt(decimals))) };
    });
    await chain.send(...transactions);
    await chain.mine((await timeOf(chain, await chain.head())) + 1_000_003);
  }
};

/** Runs random actions; some blocks are empty, so that interest accrues between actions. */
const playRandomSteps = async (chain: TestChain, { randomTransaction }: LendingMarket, seed: string): Promise<void> => {
  const random = createRandom(seed);
  for (let step = 0; step < 32; step += 1) {
    if (step % 5 !== 4) await chain.send(...Array.from({ length: random.between(2, 8) }, () => randomTransaction(random)));
    await chain.mine((await timeOf(chain, await chain.head())) + random.between(1, 300_000));
  }
};

/** Liquidates debts in one coin after the collateral coin has lost five sixths of its value relative to the debt coin. */
const liquidate = async (chain: TestChain, { coins, people, pools }: LendingMarket, receiveAToken: boolean): Promise<void> => {
  const [ether, dollar] = coins as [Coin, Coin];
  const setPrices = (price: bigint) =>
    pools.map(({ configurator }) => encodeCall(contracts("LendingConfigurator"), configurator, "setPrice", [ether.address, price]));
  await chain.send(...setPrices(receiveAToken ? poolPrice(ether) * 6n : poolPrice(ether) / 6n));
  await chain.mine();
  const [collateral, debt] = receiveAToken ? [dollar, ether] : [ether, dollar];
  const calls = pools.flatMap(({ address }) =>
    people.map((user, position): TestTransaction => {
      const args = [collateral.address, debt.address, user, 10n ** BigInt(debt.decimals - 2), receiveAToken];
      return {
        from: people[(position + 1) % people.length] as Address,
        ...encodeCall(contracts("LendingPool"), address, "liquidationCall", args),
      };
    }),
  );
  await chain.send(...calls, ...setPrices(poolPrice(ether)));
  await chain.mine();
};
