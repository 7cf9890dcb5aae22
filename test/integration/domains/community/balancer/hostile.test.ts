import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Address, Hex } from "../../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { multicallAddress, multicallCode } from "../../../../support/multicall.ts";
import { builtInProtocol, createItemsOf, type ItemsOf, insertTokens } from "../operations.ts";
import { type ServedCommunity, serveCommunity } from "../serve.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { contracts } from "./contracts.ts";

const protocols = [builtInProtocol("protocol_02")];
const huge = 2n ** 256n - 1n;
const lowest = -(2n ** 255n);
/** The first topic of Swap. */
const swapTopic = "0x2170c741c41531aec20e7c107c24eecfdd15e69c9bb0a8dd37b1840b9e0b207b";
const missing: Address = `0x${"77".repeat(20)}`;

let chain: TestChain;
let vault: Address;
let wallet: Address;
let odd: Address;
/** Pools by the supply that they report; totalSupply() of the pool with 1 reverts. */
const pools = new Map<bigint, Address>();
let testDatabase: TestDatabase;
let index: CommunityIndex;
let served: ServedCommunity;
let itemsOf: ItemsOf;
let height: number;

const idOf = (pool: Address): Hex => `${pool}${"0".repeat(24)}`;
const callVault = (name: string, args: readonly unknown[]) => chain.send(encodeCall(contracts("HostileVault"), vault, name, args));

beforeAll(async () => {
  chain = await startTestChain();
  await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
  [wallet] = chain.accounts as [Address];
  vault = await chain.deploy(contracts("HostileVault"));
  odd = await chain.deploy(contracts("Coin"), ["Odd", 255]);
  for (const supply of [0n, 1n, huge]) pools.set(supply, await chain.deploy(contracts("HostilePool"), [supply]));
  const [empty, silent, full] = [...pools.values()] as [Address, Address, Address];
  await callVault("register", [idOf(empty), empty, [odd, missing], [0n, 0n]]);
  await callVault("register", [idOf(silent), silent, [odd], [5n]]);
  // The pool holds all of the shares that it reports, and one token is listed twice.
  await callVault("register", [idOf(full), full, [odd, odd, full, missing], [huge, 1n, huge, huge]]);
  // A pool that is not a contract, and a second id of a pool; both without tokens.
  await callVault("register", [idOf(missing), missing, [], []]);
  await callVault("register", [`${full}${"f".repeat(24)}`, full, [], []]);
  await callVault("change", [idOf(full), wallet, [odd, missing], [huge / 2n, lowest], [huge, huge]]);
  // Lists with different lengths, an empty change, and a pool that was never registered.
  await callVault("change", [idOf(full), wallet, [odd], [1n, -2n, 3n], []]);
  await callVault("change", [idOf(empty), wallet, [], [], []]);
  await callVault("change", [`0x${"12".repeat(32)}`, wallet, [odd], [1n], [0n]]);
  await callVault("swap", [idOf(full), odd, odd, huge, huge]);
  await callVault("swap", [idOf(full), full, missing, 0n, 0n]);
  // No token is transferred, as with native currency and internal balances.
  await callVault("swap", [idOf(full), odd, missing, 5n, 7n]);
  await callVault("garbage", [swapTopic]);
  await chain.mine();
  testDatabase = await createTestDatabase();
  const community = { protocol_02: { vault: [vault] } };
  index = await startCommunityIndex(chain, testDatabase.database, { protocols, community });
  await index.sync();
  height = await chain.head();
  await insertTokens(testDatabase.database, [{ address: odd, name: "Odd", decimals: 255 }]);
  itemsOf = createItemsOf(testDatabase.database, protocols[0] as (typeof protocols)[number]);
  served = await serveCommunity(testDatabase.database, { protocols, community });
});
afterAll(async () => {
  await served?.close();
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

describe("protocol 02 with a hostile vault", () => {
  it("lists the registered pools, with null for unknown values", async () => {
    const items = await itemsOf("market_data", { height });
    expect(items).toHaveLength(5);
    const actual = (pool: Address | undefined) =>
      items
        .filter(({ pool_address }) => pool_address === pool)
        .map(({ lp_token_total_supply, total_value_locked_quote }) => [lp_token_total_supply, total_value_locked_quote]);
    // A balance of 0 has the value 0, even without a price.
    expect(actual(pools.get(0n))).toEqual([["0", 0]]);
    expect(actual(pools.get(1n))).toEqual([[null, null]]);
    expect(actual(missing)).toEqual([[null, null]]);
    // Under its first id, the pool holds all of its shares, so the remaining supply is 0. Its holdings under the second id are unknown.
    expect(actual(pools.get(huge)).sort()).toEqual([
      [null, null],
      ["0", null],
    ]);
  });

  it("returns null for token balances and quotes that cannot be computed", async () => {
    const items = await itemsOf("tokens", { height, wallet });
    const tokensOf = (pool: Address | undefined) =>
      items
        .filter(({ pool_address }) => pool_address === pool)
        .map(({ tokens }) => (tokens as { balance: unknown }[]).map(({ balance }) => balance));
    expect(tokensOf(pools.get(0n))).toEqual([[null, null]]);
    expect(tokensOf(pools.get(1n))).toEqual([[null]]);
    expect(tokensOf(pools.get(huge)).sort()).toEqual([[], [null, null, null]]);
    for (const { lp_token_balance } of items) expect(lp_token_balance).toBe(String(10n ** 18n));
    const balances = await itemsOf("balances", { height, wallet });
    expect(balances.map(({ balance, quote }) => [balance, quote])).toEqual(items.map(() => [String(10n ** 18n), null]));
  });

  it("returns the balance changes and swaps of registered pools with all amounts", async () => {
    const items = await itemsOf("transactions", { height, wallet });
    const actual = items.map(({ action, amounts }) => [
      action,
      (amounts as { direction: string; amount: string }[]).map(({ direction, amount }) => `${direction} ${amount}`),
    ]);
    expect(actual).toEqual([
      ["swap", ["OUT 5", "IN 7"]],
      ["swap", []],
      // A swap of a token for itself looks like an intermediate step in a path, which has no amounts.
      ["swap", []],
      ["balance_change", []],
      ["exit", ["OUT 1"]],
      ["exit", [`OUT ${huge / 2n}`, `IN ${-lowest}`]],
    ]);
  });

  it("skips and counts logs that do not encode their event", async () => {
    expect(await testDatabase.database.query("SELECT table_name, reason FROM cq_protocol_02.skipped")).toEqual([
      { table_name: "swaps", reason: "Expected 4 topics, found 1" },
    ]);
  });

  it("responds with 200 on all endpoints", async () => {
    for (const path of [
      "market_data/",
      "markets/",
      `balances/?address=${wallet}`,
      `tokens/?address=${wallet}`,
      `transactions/?address=${wallet}`,
    ])
      expect((await served.request(`protocol_02/${path}`)).status, path).toBe(200);
  });
});
