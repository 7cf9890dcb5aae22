import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../../demo/story/random.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { demoContracts } from "../../../../support/demo-contracts.ts";
import { builtInProtocol, createItemsOf, expectPages, type ItemsOf, insertTokens, timeOf } from "../operations.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { approveAll, deployShared, ownContracts, type SharedContracts, tokenDecimals } from "./contracts.ts";
import { actionsIn, actionsOfWallet } from "./logs.ts";
import { allActions, usedBlocks, type VaultOfVersion } from "./strategy-vault-actions.ts";

const protocol = builtInProtocol("protocol_10");
const random = createRandom("strategy vaults");
/** US dollars per whole token. */
const price = 5;
const dayCount = 10;

let chain: TestChain;
let testDatabase: TestDatabase;
let index: CommunityIndex;
let shared: SharedContracts;
/** A version 2 vault without deposit events, one with them, a version 3 vault, and an empty one of each version. */
let vaults: readonly VaultOfVersion[];
let head: number;
let itemsOf: ItemsOf;

const deployVaults = async (): Promise<VaultOfVersion[]> => {
  const { strategist, collector, token } = shared;
  const deployed: VaultOfVersion[] = [];
  for (const emitsActions of [false, true, true])
    deployed.push({
      address: await chain.deploy(demoContracts("LegacyVault"), ["Vault 2", "V2", token, strategist, collector, emitsActions]),
      contract: "LegacyVault",
    });
  for (let count = 0; count < 2; count += 1)
    deployed.push({
      address: await chain.deploy(demoContracts("StrategyVault"), ["Vault 3", "V3", token, strategist, collector]),
      contract: "StrategyVault",
    });
  return [0, 1, 3, 2, 4].map((position) => deployed[position] as VaultOfVersion);
};

/** Sends one day's transactions; some fail. */
const sendDay = async () => {
  const { people, strategist, token, router, callOf } = shared;
  for (let count = 0; count < 4; count += 1) {
    for (const { address, contract } of vaults.slice(0, 3)) {
      const [from, to] = [random.pick(people), random.pick(people)];
      const amount = BigInt(random.between(1, 10 ** 9));
      const isOld = contract === "LegacyVault";
      await chain.send(
        callOf(from, contract, address, "deposit", [amount, to]),
        callOf(to, contract, address, isOld ? "withdraw" : "redeem", isOld ? [amount / 3n, from] : [amount / 3n, from, to]),
        callOf(from, contract, address, "transfer", [to, amount / 5n]),
        callOf(to, "Router", router, "depositFor", [address, token, amount, from]),
        ...(isOld ? [callOf(from, "Router", router, "withdrawTo", [address, amount / 7n, to])] : []),
      );
    }
  }
  await chain.send(
    ...vaults
      .slice(0, 3)
      .map(({ address, contract }) => callOf(strategist, contract, address, "report", [BigInt(random.between(1, 10 ** 7))])),
  );
};

beforeAll(async () => {
  chain = await startTestChain();
  shared = await deployShared(chain);
  vaults = await deployVaults();
  const { people, token, callOf } = shared;
  await approveAll(
    chain,
    shared,
    vaults.map(({ address }) => address),
  );
  const registry = await chain.deploy(ownContracts("Registry"));
  const hostile = [await chain.deploy(ownContracts("Hostile"), [false]), await chain.deploy(ownContracts("Hostile"), [true])];
  testDatabase = await createTestDatabase();
  index = await startCommunityIndex(chain, testDatabase.database, {
    protocols: [protocol],
    community: { protocol_10: { registry: [registry], factory: [registry] } },
  });
  const announcements = ["announceV2", "announceTypedV2", "announceV3", "announceV2", "createdV3"];
  await chain.send(
    ...vaults.map(({ address }, position) => callOf(people[0], "Registry", registry, announcements[position] ?? "", [address, token])),
    ...hostile.map((address, position) =>
      callOf(people[0], "Registry", registry, position === 0 ? "announceV2" : "announceV3", [address, token]),
    ),
  );
  const start = (await timeOf(chain, await chain.head())) + 86_400;
  for (let day = 0; day < dayCount; day += 1) {
    await sendDay();
    if (day === 5) await chain.send(...hostile.map((address) => callOf(people[0], "Hostile", address, "act", [people[0]])));
    // Profit is released over a day, so part of it is still locked at each height.
    await chain.mine(start + day * 30_000);
  }
  await index.sync();
  head = await chain.head();
  await insertTokens(testDatabase.database, [
    { address: token, name: "Coin", decimals: tokenDecimals, price },
    ...vaults.map(({ address }) => ({ address, name: "Vault", decimals: tokenDecimals })),
  ]);
  itemsOf = createItemsOf(testDatabase.database, protocol);
});
afterAll(async () => {
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

const heights = (): number[] => [0, 2, 4, 5, 7, 9].map((day) => head - dayCount + 1 + day);
const inDollars = (amount: bigint): number => (Number(amount) / 10 ** tokenDecimals) * price;
const addresses = (): Address[] => vaults.map(({ address }) => address);

/** The newest block up to a height in which a vault was used or announced. */
const usedAt = async (vault: VaultOfVersion, height: number): Promise<number> =>
  Math.max(...[...(await usedBlocks(chain, vault)), head - dayCount + 1].filter((block) => block <= height));

/** The value of shares in assets, according to a vault's views; version 2 has only the price of one whole share. */
const assetsFor = async ({ address, contract }: VaultOfVersion, shares: bigint, height: number): Promise<bigint> =>
  contract === "LegacyVault"
    ? (shares * (await shared.view(contract, address, "pricePerShare", [], height))) / 10n ** BigInt(tokenDecimals)
    : shared.view(contract, address, "convertToAssets", [shares], height);

describe("market data and markets of protocol 10", () => {
  it("equal what the vaults' views return at the height of their readings", async () => {
    for (const height of heights()) {
      const found = await itemsOf("market_data", { height });
      for (const vault of vaults) {
        const { address, contract } = vault;
        const block = await usedAt(vault, height);
        const assets = await shared.view(contract, address, "totalAssets", [], block);
        const item = found.find(({ pool_address }) => pool_address === address);
        expect(item, `${contract} ${address} at ${height}`).toMatchObject({
          asset_address: shared.token,
          total_supply: String(assets),
          lp_token_address: address,
          lp_token_total_supply: String(await shared.view(contract, address, "totalSupply", [], block)),
          block_height: block,
          total_borrow: null,
        });
        expect(item?.total_value_locked_quote).toBeCloseTo(inDollars(assets), 9);
      }
    }
  });

  it("are ordered by value and agree with each other", async () => {
    const markets = await itemsOf("markets", { height: head });
    const values = markets.map(({ total_value_locked_quote: value }) => (value as number | null) ?? -1);
    expect(values).toEqual([...values].sort((left, right) => right - left));
    expect(markets.length).toBe(vaults.length + 2);
    const details = await itemsOf("market_data", { height: head });
    for (const [position, item] of markets.entries()) expect(details[position]).toMatchObject(item);
    const pages = [];
    for (let offset = 0; offset < markets.length; offset += 2)
      pages.push(...(await itemsOf("markets", { height: head, limit: 2, offset })));
    expect(pages).toEqual(markets);
  });

  it("use the share price's annualised growth since the first reading as their supply rate", async () => {
    for (const vault of vaults.slice(0, 3)) {
      const [item] = await itemsOf("market_data", { height: head, pool: vault.address });
      const blocks = [head - dayCount + 1, await usedAt(vault, head)];
      const unit = 10n ** (vault.contract === "LegacyVault" ? 6n : 36n);
      const [before = 0n, after = 0n] = await Promise.all(blocks.map((block) => assetsFor(vault, unit, block)));
      const [from = 0, to = 0] = await Promise.all(blocks.map((block) => timeOf(chain, block)));
      expect(after).toBeGreaterThan(before);
      const expected = ((Number(after) / Number(before) - 1) * 365 * 86_400) / (to - from);
      expect(item?.supply_rate as number).toBeCloseTo(expected, 9);
    }
  });

  it("contain vaults whose views revert or return the largest number", async () => {
    const found = (await itemsOf("market_data", { height: head })).filter(({ asset_address }) => asset_address !== shared.token);
    expect(found.map(({ total_supply }) => total_supply).sort()).toEqual([String(2n ** 256n - 1n), null].sort());
    for (const item of found) expect(item).toMatchObject({ asset_address: null, total_value_locked_quote: null, supply_rate: null });
  });
});

describe("balances of protocol 10", () => {
  it("are the wallet's shares at the price that the vaults return, at six heights", async () => {
    for (const wallet of [...shared.people, shared.collector]) {
      for (const height of heights()) {
        const expected: Record<string, string> = {};
        for (const vault of vaults) {
          const shares = await shared.view(vault.contract, vault.address, "balanceOf", [wallet], height);
          if (shares > 0n) expected[vault.address] = String(await assetsFor(vault, shares, await usedAt(vault, height)));
        }
        const found = (await itemsOf("balances", { height, wallet })).filter(({ contract_address }) => contract_address === shared.token);
        expect(Object.fromEntries(found.map(({ pool_address, balance }) => [pool_address, balance])), `${wallet} at ${height}`).toEqual(
          expected,
        );
        for (const { balance, quote } of found) expect(quote).toBeCloseTo(inDollars(BigInt(balance as string)), 9);
      }
    }
    expect((await itemsOf("balances", { height: head, wallet: shared.collector })).length).toBe(3);
  });

  it("are empty for an unknown wallet", async () => {
    expect(await itemsOf("balances", { height: head, wallet: shared.token })).toEqual([]);
  });
});

describe("transactions of protocol 10", () => {
  it("are the wallet's actions in the node's logs, with and without deposit events, including those through a router", async () => {
    const actions = await allActions(chain, shared.token, vaults);
    const seen = new Set<unknown>();
    for (const wallet of [...shared.people, shared.router, shared.collector]) {
      const all = await itemsOf("transactions", { height: head, wallet });
      const found = all.filter(({ pool_address }) => addresses().includes(pool_address as Address));
      expect(actionsIn(found), wallet).toEqual(await actionsOfWallet(chain, actions, wallet));
      for (const { action, pool_address } of found) seen.add(`${action} ${pool_address}`);
    }
    expect(seen.size).toBe(3 * 3);
  });

  it("have the value of the assets that moved", async () => {
    const [wallet] = shared.people;
    const moves = (await itemsOf("transactions", { height: head, wallet })).flatMap(({ amounts, total_quote }) => {
      const legs = amounts as { contract_address: Address; amount: string; quote: number | null }[];
      return legs.filter(({ contract_address }) => contract_address === shared.token).map((leg) => ({ ...leg, total_quote }));
    });
    expect(moves.length).toBeGreaterThan(3);
    for (const { amount, quote, total_quote } of moves)
      for (const value of [quote, total_quote]) expect(value).toBeCloseTo(inDollars(BigInt(amount)), 9);
  });

  it("are paginated up to the as-of block", async () => {
    const [wallet] = shared.people;
    await expectPages(itemsOf, wallet, head, head - 3);
  });
});

describe("the contracts of protocol 10", () => {
  it("are the vaults that registries and factories announce", async () => {
    const contracts = await testDatabase.database.query<{ address: Address; kind: string }>(
      "SELECT address, kind FROM cq_protocol_10.contracts WHERE kind LIKE 'vault%' AND log_index IS NOT NULL",
    );
    expect(contracts.length).toBe(vaults.length + 2);
    for (const { address, contract } of vaults)
      expect(contracts).toContainEqual({ address, kind: contract === "LegacyVault" ? "vault_v2" : "vault_v3" });
  });
});
