import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditBalances } from "../../../../../runtime/domains/tokens/jobs/audit-balances.ts";
import { createTokenQueries } from "../../../../../runtime/domains/tokens/queries/index.ts";
import { type Address, type Hex, zeroAddress } from "../../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { dump } from "../../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { chainOf, createTestIndexer } from "../../../../support/indexer/support.ts";
import { uniswapV2 } from "../../pools/support.ts";
import { balancesOf, type Reconciliation, startReconciliation } from "./support.ts";
import { unusualSupplies } from "./unusual-supplies.ts";

let chain: TestChain;
let testDatabase: TestDatabase;
let reconciliation: Reconciliation;
let alice: Address;
let bob: Address;
let gold: Address;
const tokens = {} as Record<"pool" | "weth" | "plain" | "preminted" | "rebasing" | "mute" | "interest", Address>;

const mineEach = async (...transactions: readonly TestTransaction[]) => {
  for (const transaction of transactions) {
    await chain.send(transaction);
    await chain.mine();
  }
};
const coin = (name: keyof typeof tokens, method: string, args: readonly unknown[], from: Address = alice) => ({
  from,
  ...encodeCall(unusualSupplies("Rebasing"), tokens[name], method, args),
});

/** Returns totalSupply() at heights; null if it reverts. */
const suppliesOf = (token: Address, heights: readonly number[]): Promise<(string | null)[]> =>
  Promise.all(
    heights.map((height) =>
      chain
        .rpc<Hex>("eth_call", [{ to: token, data: "0x18160ddd" }, `0x${height.toString(16)}`])
        .then((result) => BigInt(result).toString())
        .catch(() => null),
    ),
  );

const firstBlockOf = async (token: Address, database = testDatabase.database): Promise<number> => {
  const [row] = await database.query<{ first: number }>("SELECT min(block_number) AS first FROM transfers WHERE token = $1", [
    Buffer.from(token.slice(2), "hex"),
  ]);
  return row?.first ?? 0;
};

/** Returns the stored supplies and the contract's, at every block since a token's first transfer. */
const storedAndExpected = async (name: keyof typeof tokens, from = 0, database = testDatabase.database) => {
  const token = tokens[name];
  const first = Math.max(from, await firstBlockOf(token, database));
  const heights = Array.from({ length: (await chain.head()) - first + 1 }, (_, position) => first + position);
  const queries = createTokenQueries(database);
  const stored = await Promise.all(heights.map(async (height) => (await queries.tokenTotalsAt(31337, token, 1, height))?.supply ?? null));
  return { stored, expected: await suppliesOf(token, heights), heights };
};

/** Compares the stored holders and holder count with balanceOf() for all accounts, at every block. */
const compareHolders = async (name: keyof typeof tokens) => {
  const token = tokens[name];
  const { heights } = await storedAndExpected(name);
  const queries = createTokenQueries(testDatabase.database);
  const accounts = [zeroAddress, ...chain.accounts, ...Object.values(tokens)];
  for (const height of heights) {
    const returned = await balancesOf(
      chain,
      accounts.map((owner) => ({ token, owner, height })),
    );
    const expected = accounts
      .map((owner, position) => ({ owner, balance: returned[position] ?? "0" }))
      .filter(({ balance }) => balance !== "0")
      .sort((left, right) => Number(BigInt(right.balance) - BigInt(left.balance)) || (left.owner < right.owner ? -1 : 1));
    expect(await queries.holdersAt(31337, token, 1, height, { limit: 100, offset: 0 }), `${name} at ${height}`).toEqual(expected);
    expect((await queries.tokenTotalsAt(31337, token, 1, height))?.holders, `${name} at ${height}`).toBe(expected.length);
  }
};

beforeAll(async () => {
  [chain, testDatabase] = await Promise.all([startTestChain(), createTestDatabase()]);
  [alice, bob] = chain.accounts.slice(1, 3) as [Address, Address];
  // A real Uniswap V2 pool: its minimum liquidity is minted to the zero address; later, shares are burned by burn() and by transfers to the
  // zero address.
  gold = await chain.deploy(artifacts.erc20(), ["Gold", "G"]);
  const iron = await chain.deploy(artifacts.erc20(), ["Iron", "I"]);
  const factory = await chain.deploy(uniswapV2.factory(), [alice]);
  await mineEach({ gas: 8_000_000n, ...encodeCall(uniswapV2.factory(), factory, "createPair", [gold, iron]) });
  const pair = await chain.rpc<Hex>("eth_call", [encodeCall(uniswapV2.factory(), factory, "getPair", [gold, iron]), "latest"]);
  tokens.pool = `0x${pair.slice(26)}`;
  tokens.weth = await chain.deploy(artifacts.weth());
  tokens.plain = await chain.deploy(unusualSupplies("Plain"));
  tokens.preminted = await chain.deploy(unusualSupplies("Preminted"), [], alice);
  tokens.rebasing = await chain.deploy(unusualSupplies("Rebasing"));
  tokens.mute = await chain.deploy(unusualSupplies("Coin"));
  tokens.interest = await chain.deploy(unusualSupplies("Interest"));
  const pool = (method: string, args: readonly unknown[]) => ({ from: alice, ...encodeCall(uniswapV2.pair(), tokens.pool, method, args) });
  const fund = async (amount: bigint) =>
    mineEach(
      encodeCall(artifacts.erc20(), gold, "mint", [tokens.pool, amount]),
      encodeCall(artifacts.erc20(), iron, "mint", [tokens.pool, amount]),
    );
  await fund(1_000_000n);
  await mineEach(pool("mint", [alice]), pool("transfer", [bob, 5_000n]));
  await fund(40_000n);
  await mineEach(
    pool("mint", [alice]),
    pool("transfer", [zeroAddress, 700n]),
    pool("transfer", [tokens.pool, 9_000n]),
    pool("burn", [alice]),
  );
  await mineEach(pool("transfer", [zeroAddress, 50n]), pool("transfer", [bob, 1n]));
  const weth = (method: string, args: readonly unknown[], value = 0n) => ({
    from: alice,
    value,
    ...encodeCall(artifacts.weth(), tokens.weth, method, args),
  });
  await mineEach(weth("deposit", [], 1_000n), weth("transfer", [zeroAddress, 30n]), weth("withdraw", [100n]), weth("transfer", [bob, 5n]));
  for (const name of ["plain", "rebasing", "mute", "interest"] as const) {
    await mineEach(coin(name, "mint", [alice, 1_000n]), coin(name, "transfer", [bob, 200n]), coin(name, "transfer", [zeroAddress, 30n]));
    await mineEach(coin(name, "burn", [70n]), coin(name, "transfer", [zeroAddress, 1n]), coin(name, "mint", [bob, 5n]));
  }
  await mineEach(coin("preminted", "transfer", [bob, 400n]), coin("preminted", "burn", [100n]));
  await mineEach(coin("rebasing", "rebase", [150n]), coin("rebasing", "mint", [bob, 40n]), coin("rebasing", "rebase", [100n]));
  await mineEach(coin("rebasing", "burn", [10n]), coin("rebasing", "rebase", [300n]), { to: alice, value: 1n, gas: 21_000n });
  reconciliation = await startReconciliation(chain, chain.url, testDatabase.database, { chain: chainOf({ wrappedNative: [tokens.weth] }) });
  await reconciliation.runFor(6);
});
afterAll(async () => {
  await reconciliation?.end();
  await chain?.stop();
  await testDatabase?.drop();
});

describe("the total supply of an ERC-20 token", () => {
  it.each([
    ["pool", "a Uniswap V2 pool with its minimum liquidity and tokens sent to the zero address"],
    ["weth", "wrapped ether, some of which was sent to the zero address"],
    ["plain", "transfers to the zero address do not change the supply"],
    ["preminted", "minted in the constructor without an event"],
    ["rebasing", "rebases up and down"],
  ] as const)("equals totalSupply() at every block (%s: %s)", async (name, _) => {
    const { stored, expected, heights } = await storedAndExpected(name);
    expect(heights.length).toBeGreaterThan(5);
    expect(stored).toEqual(expected);
  });

  it("is exact in the blocks that touch the contract and at the head if it accrues interest", async () => {
    const { stored, expected } = await storedAndExpected("interest");
    expect(stored.slice(0, 6)).toEqual(expected.slice(0, 6));
    await mineEach({ to: alice, value: 1n, gas: 21_000n });
    await reconciliation.runFor(65);
    const after = await storedAndExpected("interest");
    expect(after.stored.at(-1)).toBe(after.expected.at(-1));
  });

  it("is null if the contract has no totalSupply()", async () => {
    const { stored, expected } = await storedAndExpected("mute");
    expect(new Set(expected)).toEqual(new Set([null]));
    expect(stored).toEqual(expected);
  });

  it("is returned with holders that include the zero address if its balanceOf() is above zero", async () => {
    for (const name of ["pool", "weth", "plain", "mute"] as const) await compareHolders(name);
  });

  it("is not read for tokens whose events determine it, and adds no rows once it is known", async () => {
    const before = await dump(testDatabase.database);
    await reconciliation.runFor(3);
    const { token_supplies, supply_offsets, balances, balance_periods, holder_counts } = await dump(testDatabase.database);
    expect({ token_supplies, balances, balance_periods, holder_counts }).toEqual({
      token_supplies: before.token_supplies,
      balances: before.balances,
      balance_periods: before.balance_periods,
      holder_counts: before.holder_counts,
    });
    const offsets = (rows: readonly string[] | undefined) => (rows ?? []).filter((row) => !row.includes(tokens.interest.slice(2)));
    expect(offsets(supply_offsets as string[])).toEqual(offsets(before.supply_offsets as string[]));
  });

  it("has no rows after a rollback drops the block in which a difference was read", async () => {
    const goldBytes = Buffer.from(gold.slice(2), "hex");
    const rows = () => testDatabase.database.query("SELECT block_number, difference FROM supply_offsets WHERE token = $1", [goldBytes]);
    expect(await rows()).toEqual([]);
    // Rolling back that block deleted the difference, and left the block range in which it arose.
    await testDatabase.database.query("INSERT INTO supply_offsets (chain_id, token, block_number) VALUES (31337, $1, 0)", [goldBytes]);
    await reconciliation.runFor(4);
    expect(await rows()).toEqual([]);
  });

  it("is compared by the audit, which finds an altered supply", async () => {
    const audit = async () => {
      const running = await createTestIndexer(chain.url, testDatabase.database);
      const rows = await auditBalances(testDatabase.database, running.source, 31337, await chain.head(), 1_000);
      await running.close();
      return rows;
    };
    const rows = await audit();
    expect(rows.flatMap(({ differences }) => differences)).toEqual([]);
    expect(rows.find(({ subject }) => subject === "ERC-20 supplies")?.comparedCount).toBeGreaterThanOrEqual(6);
    expect(rows.find(({ subject }) => subject === "supplies read from contracts")?.comparedCount).toBeGreaterThanOrEqual(1);
    const alterSupply = (change: number) =>
      testDatabase.database.query("UPDATE token_supplies SET supply = supply + $2 WHERE token = $1", [
        Buffer.from(tokens.plain.slice(2), "hex"),
        change,
      ]);
    await alterSupply(1);
    expect((await audit()).filter(({ differences }) => differences.length > 0).map(({ subject }) => subject)).toEqual(["ERC-20 supplies"]);
    await alterSupply(-1);
  });

  it("follows later mints, burns and transfers to the zero address", async () => {
    await mineEach(coin("plain", "mint", [alice, 11n]), coin("plain", "transfer", [zeroAddress, 2n]), coin("plain", "burn", [3n]));
    await mineEach(coin("preminted", "burn", [1n]), coin("rebasing", "mint", [alice, 7n]), coin("rebasing", "rebase", [200n]));
    await reconciliation.runFor(4);
    for (const name of ["plain", "preminted", "rebasing", "pool", "weth"] as const) {
      const { stored, expected } = await storedAndExpected(name);
      expect(stored, name).toEqual(expected);
    }
    await compareHolders("plain");
  });

  it("is exact after a reorganisation", async () => {
    await mineEach(coin("plain", "transfer", [zeroAddress, 100n]), coin("rebasing", "rebase", [250n]), coin("preminted", "burn", [9n]));
    await reconciliation.runFor(4);
    await chain.rpc("anvil_reorg", [
      4,
      [[{ from: alice, to: tokens.plain, data: coin("plain", "transfer", [zeroAddress, 5n]).data, gas: "0xf4240" }, 1]],
    ]);
    await chain.mine();
    await reconciliation.runFor(65);
    for (const name of ["plain", "preminted", "rebasing", "pool", "weth"] as const) {
      const { stored, expected } = await storedAndExpected(name);
      expect(stored, name).toEqual(expected);
    }
    await compareHolders("plain");
    expect(reconciliation.warnings).toEqual([]);
  });

  it("is exact from the first block of an index that starts late", async () => {
    const late = await createTestDatabase();
    const from = (await chain.head()) - 30;
    const running = await startReconciliation(chain, chain.url, late.database, { chain: chainOf({ from, wrappedNative: [tokens.weth] }) });
    await running.runFor(5);
    for (const name of ["plain", "preminted", "rebasing"] as const) {
      const { stored, expected } = await storedAndExpected(name, from, late.database);
      expect(stored.length).toBeGreaterThan(3);
      expect(stored, name).toEqual(expected);
    }
    await running.end();
    await late.drop();
  });
});
