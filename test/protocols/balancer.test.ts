import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../demo/story/random.ts";
import type { Address, Hex } from "../../runtime/lib/hex.ts";
import { builtInProtocol, createItemsOf, type ItemsOf, insertTokens, timeOf } from "../integration/domains/community/operations.ts";
import { type CommunityIndex, startCommunityIndex } from "../integration/domains/community/support.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { poolViews, type RealPool, type RealPoolMarket, startRealPoolMarket } from "./balancer-market.ts";
import { expectNear, type ProtocolChain, startProtocolChain } from "./support.ts";

const protocol = builtInProtocol("protocol_02");
const blockCount = 12;
/** The first mined block in which the protocol takes a share of the fees. */
const firstFeeBlock = 6;

let world: ProtocolChain;
let market: RealPoolMarket;
let testDatabase: TestDatabase;
let index: CommunityIndex;
let itemsOf: ItemsOf;
let first: number;
let feesSince: number;
let heights: number[];

beforeAll(async () => {
  world = await startProtocolChain();
  market = await startRealPoolMarket(world);
  const { chain } = world;
  const random = createRandom("pools of the vault");
  const hashes: Hex[] = [];
  first = (await chain.head()) + 1;
  for (let block = 0; block < blockCount; block += 1) {
    if (block === firstFeeBlock) {
      feesSince = (await chain.head()) + 1;
      await market.setProtocolFee();
    }
    hashes.push(...(await chain.send(...Array.from({ length: 8 }, () => market.randomTransaction(random)))));
    await chain.mine((await timeOf(chain, await chain.head())) + 43_200);
  }
  const receipts = await world.receiptsOf(hashes);
  expect(receipts.filter(({ status }) => status === "0x1").length).toBeGreaterThan(0.8 * hashes.length);
  testDatabase = await createTestDatabase();
  index = await startCommunityIndex(chain, testDatabase.database, {
    protocols: [protocol],
    community: { protocol_02: { vault: [market.vault] } },
  });
  await index.sync();
  const names = market.pools.map(({ address, kind }) => ({ address, name: kind, decimals: 18 }));
  await insertTokens(testDatabase.database, [...market.tokens, ...names]);
  itemsOf = createItemsOf(testDatabase.database, protocol);
  const head = await chain.head();
  heights = [first - 1, first + 1, first + 3, first + 5, head - 5, head - 2, head];
});
afterAll(async () => {
  await index?.end();
  await testDatabase?.drop();
  await world?.chain.stop();
});

const inDollars = (token: Address, amount: bigint): number =>
  Number(amount) / 10 ** (market.tokens.find(({ address }) => address === token)?.decimals ?? 0);

/** The value of a pool's tokens in the vault. */
const poolValue = (pool: RealPool, held: readonly (readonly [Address, bigint])[]): number =>
  held.reduce((sum, [token, amount]) => (token === pool.address ? sum : sum + inDollars(token, amount)), 0);

const supplyOf = ({ kind, address }: RealPool, height: number): Promise<bigint> =>
  world.read(poolViews, address, kind === "first weighted" ? "totalSupply" : "getActualSupply", [], { height });

const sharesOf = ({ address }: RealPool, owner: Address, height: number): Promise<bigint> =>
  world.read(poolViews, address, "balanceOf", [owner], { height });

/** Each pool at each height. */
const cases = () => heights.flatMap((height) => market.pools.map((pool) => ({ height, pool })));

describe("protocol 02 with the real vault and pools", () => {
  it("has the balances, supplies and values that the vault and the pools return", async () => {
    for (const { height, pool } of cases()) {
      const { held, lastChangeBlock } = await market.poolTokens(pool, height);
      const supply = await supplyOf(pool, height);
      const label = `${pool.kind} at ${height}`;
      for (const operation of ["market_data", "markets"]) {
        const items = await itemsOf(operation, { height });
        expect(items.map(({ pool_address }) => pool_address).sort()).toEqual(market.pools.map(({ address }) => address).sort());
        const item = items.find(({ pool_address }) => pool_address === pool.address);
        expectNear(item?.total_value_locked_quote, poolValue(pool, held), label);
        if (operation === "markets") continue;
        expect(item, label).toMatchObject({ block_height: lastChangeBlock, lp_token_total_supply: String(supply), total_borrow: null });
        expectNear(item?.total_supply_quote, poolValue(pool, held), label);
      }
    }
  });

  it("has wallets' shares, with their share of the pool's value", async () => {
    for (const wallet of market.people) {
      for (const { height, pool } of cases()) {
        const item = (await itemsOf("balances", { height, wallet })).find(({ pool_address }) => pool_address === pool.address);
        const shares = await sharesOf(pool, wallet, height);
        expect(item?.balance ?? "0", `${pool.kind} of ${wallet} at ${height}`).toBe(String(shares));
        if (item === undefined) continue;
        const { held } = await market.poolTokens(pool, height);
        expectNear(item.quote, (poolValue(pool, held) * Number(shares)) / Number(await supplyOf(pool, height)));
      }
    }
  });

  /**
   * The amounts that an exit returns. If the protocol takes fees, version 1 pools deduct due fees from one token at the exit; for these,
   * the amounts are the wallet's share of the vault's holdings, rounded down as the pool does.
   */
  const exitOf = async (pool: RealPool, wallet: Address, shares: bigint, height: number): Promise<bigint[]> => {
    if (pool.kind !== "first weighted" || height < feesSince) return [...(await market.queryExit(pool, wallet, shares, height))];
    const { held } = await market.poolTokens(pool, height);
    const share = (shares * 10n ** 18n) / (await supplyOf(pool, height));
    return held.map(([, amount]) => (amount * share) / 10n ** 18n);
  };

  it("has the tokens that an exit would return", async () => {
    let positions = 0;
    for (const wallet of market.people) {
      for (const { height, pool } of cases()) {
        const shares = await sharesOf(pool, wallet, height);
        const item = (await itemsOf("tokens", { height, wallet })).find(({ pool_address }) => pool_address === pool.address);
        expect(item?.lp_token_balance ?? "0").toBe(String(shares));
        if (item === undefined) continue;
        const amounts = await exitOf(pool, wallet, shares, height);
        const expected = pool.tokens
          .map((token, position) => ({ contract_address: token, balance: amounts[position] as bigint }))
          .filter(({ contract_address }) => contract_address !== pool.address);
        const shown = (item.tokens as { contract_address: Address; balance: string }[]).map(({ contract_address, balance }) => ({
          contract_address,
          balance: BigInt(balance),
        }));
        expect(shown, `${pool.kind} of ${wallet} at ${height}`).toEqual(expected);
        expectNear(
          item.total_quote,
          expected.reduce((sum, { contract_address, balance }) => sum + inDollars(contract_address, balance), 0),
        );
        positions += 1;
      }
    }
    expect(positions).toBeGreaterThan(40);
  });
});
