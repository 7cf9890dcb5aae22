import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import { bytes } from "../../../../runtime/database/codecs.ts";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { contracts } from "./contracts.ts";
import { builtInProtocol, createItemsOf, insertTokens, type OperationParameters, timeOf } from "./operations.ts";
import { type CommunityIndex, startCommunityIndex } from "./support.ts";
import { actionsOf } from "./vault-actions.ts";
import { type Market, startMarket } from "./vault-market.ts";

const random = createRandom("operations of vaults");
const protocol = builtInProtocol("protocol_06");
const decimals = 18;
/** US dollars per whole asset. */
const price = 2;

let chain: TestChain;
let market: Market;
let testDatabase: TestDatabase;
let index: CommunityIndex;
let head: number;

beforeAll(async () => {
  chain = await startTestChain();
  market = await startMarket(chain);
  testDatabase = await createTestDatabase();
  const community = { protocol_06: { vault: market.vaults } };
  index = await startCommunityIndex(chain, testDatabase.database, { protocols: [protocol], community });
  const [first, second] = chain.accounts as [Address, Address];
  const start = (await timeOf(chain, await chain.head())) + 86_400;
  for (let step = 0; step < 8; step += 1) {
    await chain.send(...Array.from({ length: random.between(2, 6) }, () => market.randomTransaction(random)));
    await chain.send({ from: first, ...encodeCall(contracts("Vault"), market.vaults[0] as Address, "transfer", [second, BigInt(step)]) });
    await chain.mine(start + step * 86_400);
  }
  await index.sync();
  head = await chain.head();
  await insertTokens(testDatabase.database, [
    { address: market.asset, name: "Asset", decimals, price },
    ...market.vaults.map((address) => ({ address, name: "Vault", decimals })),
  ]);
});
afterAll(async () => {
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

const itemsOf = (operation: string, parameters: Partial<OperationParameters> = {}) =>
  createItemsOf(testDatabase.database, protocol)(operation, { height: head, ...parameters });

const read = async (to: Address, name: string, args: readonly unknown[], height: number): Promise<bigint> =>
  BigInt(await chain.rpc<Hex>("eth_call", [encodeCall(contracts("Vault"), to, name, args), `0x${height.toString(16)}`]));

/** The block of a vault's newest readings up to a height: the last block in which it was used or announced. */
const readingBlock = async (vault: Address, height: number): Promise<number> => {
  const [row] = await testDatabase.database.query<{ block: number }>(
    "SELECT max(block_number) AS block FROM cq_protocol_06.total_assets WHERE contract = $1 AND block_number <= $2",
    [bytes(vault), height],
  );
  return row?.block ?? 0;
};

const inDollars = (amount: bigint): number => (Number(amount) / 10 ** decimals) * price;
const heights = (): number[] => [1, 2, 4, 6, 8].map((part) => head - 8 + part);

describe("market_data and markets of protocol 06", () => {
  it("have the totals that the vaults return at the height of their readings", async () => {
    for (const height of heights()) {
      const items = await itemsOf("market_data", { height });
      expect(items.map(({ pool_address }) => pool_address).sort()).toEqual([...market.vaults].sort());
      for (const item of items) {
        const vault = item.pool_address as Address;
        const block = await readingBlock(vault, height);
        const [assets, shares] = [await read(vault, "totalAssets", [], block), await read(vault, "totalSupply", [], block)];
        expect(item).toMatchObject({
          name: "Vault",
          asset_address: market.asset,
          asset_decimals: decimals,
          block_height: block,
          total_supply: String(assets),
          lp_token_address: vault,
          lp_token_total_supply: String(shares),
          total_borrow: null,
        });
        expect(item.total_value_locked_quote).toBeCloseTo(inDollars(assets), 15);
      }
    }
  });

  it("are ordered by value and agree with each other", async () => {
    const markets = await itemsOf("markets");
    const values = markets.map(({ total_value_locked_quote: value }) => value as number);
    expect(values).toEqual([...values].sort((left, right) => right - left));
    expect(values).toHaveLength(market.vaults.length);
    const details = await itemsOf("market_data");
    for (const [position, item] of markets.entries()) expect(details[position]).toMatchObject(item);
  });

  it("use the share price's annualised growth since the first reading as their supply rate", async () => {
    for (const { pool_address, supply_rate } of await itemsOf("markets")) {
      const vault = pool_address as Address;
      const [first] = await testDatabase.database.query<{ block: number }>(
        "SELECT min(block_number) AS block FROM cq_protocol_06.share_price WHERE contract = $1 AND assets > 0",
        [bytes(vault)],
      );
      const blocks = [first?.block ?? 0, await readingBlock(vault, head)];
      const prices = await Promise.all(blocks.map((block) => read(vault, "convertToAssets", [10n ** 36n], block)));
      const times = await Promise.all(blocks.map((block) => timeOf(chain, block)));
      const growth = Number(prices[1]) / Number(prices[0]) - 1;
      const expected = (growth * 31_536_000) / ((times[1] ?? 0) - (times[0] ?? 0));
      expect(Math.abs((supply_rate as number) - expected)).toBeLessThan(1e-9 * Math.max(1, Math.abs(expected)));
    }
  });

  it("are restricted to one vault by its address, and empty for any other contract", async () => {
    const [vault] = market.vaults as [Address];
    const items = await itemsOf("market_data", { pool: vault });
    expect(items.map(({ pool_address }) => pool_address)).toEqual([vault]);
    expect(await itemsOf("market_data", { pool: market.asset })).toEqual([]);
  });
});

describe("balances of protocol 06", () => {
  it("equal the assets that the vaults would return for the wallet's shares, at five heights", async () => {
    for (const wallet of chain.accounts.slice(0, 4) as Address[]) {
      for (const height of heights()) {
        const expected: Record<string, string> = {};
        for (const vault of market.vaults) {
          const shares = await read(vault, "balanceOf", [wallet], height);
          const assets = await read(vault, "convertToAssets", [shares], await readingBlock(vault, height));
          if (shares > 0n) expected[vault] = String(assets);
        }
        const items = await itemsOf("balances", { wallet, height });
        expect(Object.fromEntries(items.map((item) => [item.pool_address, item.balance])), `${wallet} at ${height}`).toEqual(expected);
        for (const { balance, quote } of items) expect(quote).toBeCloseTo(inDollars(BigInt(balance as string)), 15);
      }
    }
  });

  it("are empty for an account without shares", async () => {
    expect(await itemsOf("balances", { wallet: market.asset })).toEqual([]);
  });
});

describe("transactions of protocol 06", () => {
  it("are the wallet's deposits, withdrawals and transfers in the node's logs, newest first", async () => {
    const actions = new Set<unknown>();
    for (const wallet of chain.accounts.slice(0, 4) as Address[]) {
      const items = await itemsOf("transactions", { wallet });
      const actual = items.map(({ action, block_height, log_offset, tx_hash, pool_address, amounts }) => ({
        action,
        block_height,
        log_offset,
        tx_hash,
        pool_address,
        amounts: (amounts as { direction: string; amount: string }[]).map(({ direction, amount }) => ({ direction, amount })),
      }));
      expect(actual).toEqual(await actionsOf(chain, market.vaults, wallet));
      for (const { action } of items) actions.add(action);
    }
    expect(actions).toEqual(new Set(["deposit", "withdraw", "transfer"]));
  });

  it("have the value of the assets that moved", async () => {
    const [wallet] = chain.accounts as [Address];
    const items = await itemsOf("transactions", { wallet });
    const deposits = items.filter(({ action }) => action === "deposit");
    expect(deposits.length).toBeGreaterThan(0);
    for (const { amounts, total_quote } of deposits) {
      const assets = (amounts as { contract_address: Address; amount: string; quote: number }[]).find(
        ({ contract_address }) => contract_address === market.asset,
      );
      if (assets === undefined) continue;
      expect(assets.quote).toBeCloseTo(inDollars(BigInt(assets.amount)), 15);
      expect(total_quote).toBeCloseTo(inDollars(BigInt(assets.amount)), 15);
    }
  });

  it("are paginated without gaps or duplicates", async () => {
    const [wallet] = chain.accounts as [Address];
    const all = await itemsOf("transactions", { wallet });
    const pages = [];
    for (let offset = 0; offset < all.length; offset += 3) pages.push(...(await itemsOf("transactions", { wallet, limit: 3, offset })));
    expect(pages).toEqual(all);
  });

  it("end at the as-of block", async () => {
    const [wallet] = chain.accounts as [Address];
    const all = await itemsOf("transactions", { wallet });
    const height = head - 3;
    const earlier = all.filter(({ block_height }) => (block_height as number) <= height);
    expect(await itemsOf("transactions", { wallet, height })).toEqual(earlier);
  });
});
