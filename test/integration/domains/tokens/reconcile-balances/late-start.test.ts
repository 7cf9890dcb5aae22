import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balancesWithoutBase, balanceTables } from "../../../../../runtime/domains/tokens/jobs/reconcile-balances/bases/apply-bases.ts";
import { createTokenQueries } from "../../../../../runtime/domains/tokens/queries/index.ts";
import { type Address, type Hex, zeroAddress } from "../../../../../runtime/lib/hex.ts";
import { artifacts, call, startTestChain, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { dump } from "../../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { addRound, buildStory, type Story } from "../../../../support/indexer/story-builder.ts";
import { chainOf, createTestIndexer } from "../../../../support/indexer/support.ts";
import { type RpcProxy, startRpcProxy } from "../../../../support/rpc-proxy.ts";
import { uniswap } from "../../pools/support.ts";
import { balancesOf, type Reconciliation, startReconciliation } from "./support.ts";
import { unusualBalances } from "./unusual-balances.ts";

let chain: TestChain;
let proxy: RpcProxy;
let story: Story;
let unlogged: Address;
let from: number;
let test: TestDatabase;
let reconciliation: Reconciliation | undefined;

const quantity = (value: number): Hex => `0x${value.toString(16)}`;
const indexOptions = () => ({ chain: chainOf({ from, wrappedNative: [story.weth] }) });
const accounts = () => chain.accounts.slice(0, 3) as [Address, Address, Address];
const mine = async (...transactions: readonly TestTransaction[]) => {
  await chain.send(...transactions);
  await chain.mine();
};
const callUnlogged = (name: string, args: readonly unknown[], sender?: Address): TestTransaction => ({
  ...(sender === undefined ? {} : { from: sender }),
  ...call(unusualBalances("Unlogged"), unlogged, name, args),
});

/** Makes a node serve only the state of its head. */
const hideOldState = (node: RpcProxy, latest: number) => {
  const stateful = new Set(["eth_getBalance", "eth_call"]);
  let head = latest;
  node.tamper = (method, reply, params) => {
    if (method === "eth_getBlockByNumber" && params[0] === "latest") head = Number((reply.result as { number: string }).number);
    if (!stateful.has(method) || Number(params[1]) >= head) return;
    delete reply.result;
    reply.error = { code: -32000, message: "missing trie node 5f3a (path ) state is not available" };
  };
};

beforeAll(async () => {
  chain = await startTestChain();
  proxy = await startRpcProxy(chain.url);
  story = await buildStory(chain, 3);
  unlogged = await chain.deploy(unusualBalances("Unlogged"));
  const [first, second, third] = accounts();
  await mine(callUnlogged("mint", [first, 100n]));
  from = (await chain.head()) + 1;
  await addRound(chain, story, 3, [first, second, third]);
  await mine(call(artifacts.erc20(), story.erc20, "transfer", [second, 1n]), callUnlogged("transfer", [second, 30n]));
  await addRound(chain, story, 4, [second, third, first]);
  await mine(call(artifacts.erc721(), story.erc721, "transferFrom", [second, third, 0n]));
});
afterAll(async () => {
  await proxy?.close();
  await chain?.stop();
});
beforeEach(async () => {
  test = await createTestDatabase();
  hideOldState(proxy, await chain.head());
});
afterEach(async () => {
  await reconciliation?.end();
  reconciliation = undefined;
  await test.drop();
});

const countUnknown = async () => {
  const [row] = await test.database.query<{ rows: number }>(
    "SELECT count(*) FILTER (WHERE balance IS NULL AND net_change IS NOT NULL) AS rows FROM (SELECT balance, net_change FROM balances UNION ALL SELECT balance, net_change FROM nft_balances) b",
  );
  return row?.rows ?? 0;
};

/** Returns the token tables of an index that starts at the same block on an archive node. */
const tablesOfArchiveIndex = async () => {
  const other = await createTestDatabase();
  const running = await createTestIndexer(chain.url, other.database, indexOptions());
  await running.runToHead(await chain.head());
  await running.close();
  const rows = await tokenTables(other);
  await other.drop();
  return rows;
};
const tokenTables = async ({ database }: TestDatabase) => {
  // Running balances of collections and of the native token are neither served nor filled in.
  const transfers = await database.query("SELECT * FROM transfers WHERE standard = 1 ORDER BY block_number, ordinal");
  const { balances, balance_periods, nft_balances, nft_balance_periods, holder_counts } = await dump(database);
  return { balances, balance_periods, nft_balances, nft_balance_periods, holder_counts, transfers };
};

describe("an index that starts late on a node without old state", () => {
  it("has the same balances, running balances and holders as an index on an archive node", async () => {
    reconciliation = await startReconciliation(chain, proxy.url, test.database, indexOptions());
    await reconciliation.runFor(0);
    expect(await countUnknown()).toBeGreaterThan(15);
    await reconciliation.runFor(2);
    expect(await countUnknown()).toBe(0);
    expect(reconciliation.warnings).toEqual([]);
    const expected = await tablesOfArchiveIndex();
    const reconciled = await tokenTables(test);
    for (const table of Object.keys(expected) as (keyof typeof expected)[]) expect(reconciled[table], table).toEqual(expected[table]);
    expect(await test.database.query("SELECT token FROM node_sourced_tokens")).toEqual([]);
  });

  it("serves the node's balances at every height since its first block", async () => {
    reconciliation = await startReconciliation(chain, proxy.url, test.database, indexOptions());
    await reconciliation.runFor(2);
    const head = await chain.head();
    let compared = 0;
    for (let height = from - 1; height <= head; height += 1) {
      const rows = await test.database.query<{ owner: Address; token: Address; standard: number; balance: string | null }>(
        `SELECT owner, token, standard, balance FROM balances WHERE since_block <= $1 AND standard < 3
         UNION ALL SELECT owner, token, standard, balance FROM balance_periods WHERE from_block <= $1 AND to_block >= $1 AND standard < 3`,
        [height],
      );
      const tokens = rows.filter(({ standard }) => standard > 0);
      const returned = await balancesOf(
        chain,
        tokens.map(({ owner, token }) => ({ owner, token, height })),
      );
      expect(tokens.map(({ balance }) => balance)).toEqual(returned);
      const native = rows.filter(({ standard }) => standard === 0);
      const amounts = await chain.batch<Hex>(native.map(({ owner }) => ({ method: "eth_getBalance", params: [owner, quantity(height)] })));
      expect(native.map(({ balance }) => balance)).toEqual(amounts.map((amount) => BigInt(amount).toString()));
      compared += rows.length;
    }
    expect(compared).toBeGreaterThan(100);
  });

  it("reconciles accounts that are touched later, and handles a reorganisation", async () => {
    reconciliation = await startReconciliation(chain, proxy.url, test.database, indexOptions());
    await reconciliation.runFor(2);
    const [first, , third] = accounts();
    const sixth = chain.accounts[6] as Address;
    await mine(
      { from: third, ...call(artifacts.erc20(), story.erc20, "transfer", [first, 0n]) },
      { from: sixth, to: first, value: 5n, gas: 21_000n },
    );
    await reconciliation.runFor(2);
    const sending = call(artifacts.erc20(), story.erc20, "transfer", [sixth, 3n]);
    await chain.rpc("anvil_reorg", [3, [[{ from: first, to: sending.to, data: sending.data, gas: "0xf4240" }, 1]]]);
    await chain.mine();
    await reconciliation.runFor(2);
    expect(await countUnknown()).toBe(0);
    const expected = await tablesOfArchiveIndex();
    const reconciled = await tokenTables(test);
    for (const table of Object.keys(expected) as (keyof typeof expected)[]) expect(reconciled[table], table).toEqual(expected[table]);
  });

  it("starts from the stored base balances when the projection is rebuilt, without reading them from the node", async () => {
    reconciliation = await startReconciliation(chain, proxy.url, test.database, indexOptions());
    await reconciliation.runFor(2);
    const before = await tokenTables(test);
    await reconciliation.end();
    await test.database.query("UPDATE projection_checkpoints SET version = 0 WHERE projection = 'tokens'");
    proxy.counts.clear();
    reconciliation = await startReconciliation(chain, proxy.url, test.database, indexOptions());
    await reconciliation.runFor(0);
    expect((await test.database.query("SELECT 1 FROM balances WHERE standard < 3 AND balance IS NULL")).length).toBe(0);
    await reconciliation.runFor(2);
    const after = await tokenTables(test);
    for (const table of Object.keys(before) as (keyof typeof before)[]) expect(after[table], table).toEqual(before[table]);
  });

  it("writes nothing while the node's block at the indexed head has a different hash", async () => {
    const hideState = proxy.tamper;
    proxy.tamper = (method, reply, params) => {
      hideState?.(method, reply, params);
      // The job compares the block with a request by number and without transactions.
      if (method !== "eth_getBlockByNumber" || params[1] !== false || Number.isNaN(Number(params[0]))) return;
      if (isComparing) reply.result = { ...(reply.result as object), hash: `0x${"d".repeat(64)}` };
    };
    let isComparing = false;
    reconciliation = await startReconciliation(chain, proxy.url, test.database, indexOptions());
    await reconciliation.runFor(0);
    const unknown = await countUnknown();
    isComparing = true;
    await reconciliation.runFor(2);
    expect(await countUnknown()).toBe(unknown);
    isComparing = false;
    await reconciliation.runFor(2);
    expect(await countUnknown()).toBe(0);
  });

  it("continues after errors of the node and after a restart", async () => {
    reconciliation = await startReconciliation(chain, proxy.url, test.database, indexOptions());
    await reconciliation.runFor(0);
    const hideState = proxy.tamper;
    proxy.tamper = (method, reply) => {
      if (method !== "eth_call" && method !== "eth_getBalance") return;
      delete reply.result;
      reply.error = { code: -32000, message: "header not found" };
    };
    await reconciliation.runFor(2);
    expect(await countUnknown()).toBeGreaterThan(15);
    await reconciliation.end();
    proxy.tamper = hideState;
    reconciliation = await startReconciliation(chain, proxy.url, test.database, indexOptions());
    await reconciliation.runFor(2);
    expect(await countUnknown()).toBe(0);
  });

  it("has native balances from the head on if they are read from state and old state is pruned", async () => {
    const byState = { chain: { ...indexOptions().chain, nativeAccounting: "state" as const } };
    reconciliation = await startReconciliation(chain, proxy.url, test.database, byState);
    await reconciliation.runFor(0);
    const pending = await test.database.query("SELECT 1 FROM balances WHERE standard = 0 AND balance IS NULL AND net_change IS NULL");
    expect(pending.length).toBeGreaterThan(2);
    await reconciliation.runFor(2);
    const head = await chain.head();
    const rows = await test.database.query<{ owner: Address; balance: string }>("SELECT owner, balance FROM balances WHERE standard = 0");
    const returned = await chain.batch<Hex>(rows.map(({ owner }) => ({ method: "eth_getBalance", params: [owner, quantity(head)] })));
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.map(({ balance }) => balance)).toEqual(returned.map((amount) => BigInt(amount).toString()));
    const periods = await test.database.query<{ owner: Address; from_block: number; balance: string | null }>(
      "SELECT owner, from_block, balance FROM balance_periods WHERE standard = 0",
    );
    for (const { owner, from_block, balance } of periods) {
      if (balance === null) continue;
      expect(balance, `${owner} at ${from_block}`).toBe(
        BigInt(await chain.rpc<Hex>("eth_getBalance", [owner, quantity(from_block)])).toString(),
      );
    }
  });

  it("leaves a balance of a collection unknown if its events do not add up to the node's balance", async () => {
    reconciliation = await startReconciliation(chain, proxy.url, test.database, indexOptions());
    await reconciliation.runFor(0);
    const second = Buffer.from(accounts()[1].slice(2), "hex");
    // Plants a change of two units of an id, of which only one exists.
    const planted = await test.database.query<{ token_id: string }>(
      `UPDATE nft_balances SET net_change = 2 WHERE (owner, token, token_id) = (SELECT owner, token, token_id FROM nft_balances
         WHERE owner = $1 AND standard = 2 AND net_change IS NOT NULL LIMIT 1) RETURNING token_id`,
      [second],
    );
    expect(planted).toHaveLength(1);
    await reconciliation.runFor(4);
    const rows = await test.database.query<{ token_id: string; balance: string | null; net_change: string | null }>(
      "SELECT token_id, balance, net_change FROM nft_balances WHERE owner = $1 AND standard = 2 AND balance IS NULL",
      [second],
    );
    expect(rows).toEqual([{ token_id: planted[0]?.token_id, balance: null, net_change: null }]);
    expect(await countUnknown()).toBe(0);
    expect(await test.database.query("SELECT token FROM node_sourced_tokens")).toEqual([]);
  });

  it("marks a token as node-sourced if a base balance would be below zero, and writes no negative balance", async () => {
    const [first, second, third] = accounts();
    // Since the first indexed block, events moved 30 to second and 25 away. The remaining 5 and first's 70 are burned without an event.
    await mine(
      callUnlogged("transfer", [third, 25n], second),
      callUnlogged("burnSilently", [second, 5n]),
      callUnlogged("burnSilently", [first, 70n]),
    );
    await mine(callUnlogged("burnSilently", [third, 20n]));
    reconciliation = await startReconciliation(chain, proxy.url, test.database, indexOptions());
    await reconciliation.runFor(3);
    const marked = await test.database.query("SELECT token, events_balance FROM node_sourced_tokens");
    expect(marked).toEqual([{ token: unlogged, events_balance: null }]);
    const head = await chain.head();
    const rows = await test.database.query<{ owner: Address; balance: string; since_block: number }>(
      "SELECT owner, balance, since_block FROM balances WHERE token = $1 ORDER BY owner",
      [Buffer.from(unlogged.slice(2), "hex")],
    );
    expect(rows).toHaveLength(3);
    const returned = await balancesOf(
      chain,
      rows.map(({ owner }) => ({ owner, token: unlogged, height: head })),
    );
    expect(rows.map(({ balance }) => balance)).toEqual(returned);
    // The node has no older state, so balances are known from the head on.
    expect(new Set(rows.map(({ since_block }) => since_block))).toEqual(new Set([head]));
    const known = await test.database.query("SELECT 1 FROM balance_periods WHERE token = $1 AND balance IS NOT NULL", [
      Buffer.from(unlogged.slice(2), "hex"),
    ]);
    expect(known).toEqual([]);
    const negative = await test.database.query(
      "SELECT 1 FROM balances WHERE balance < 0 UNION ALL SELECT 1 FROM balance_periods WHERE balance < 0",
    );
    expect(negative).toEqual([]);
    const [counts] = await test.database.query<{ holders: number }>(
      "SELECT holders FROM holder_counts WHERE token = $1 ORDER BY block_number DESC LIMIT 1",
      [Buffer.from(unlogged.slice(2), "hex")],
    );
    expect(counts?.holders).toBe(returned.filter((balance) => balance !== "0").length);
  });
});

describe("a Uniswap V2 pair that got its first liquidity after the first block of a late index", () => {
  let pairChain: TestChain;
  let node: RpcProxy;
  let pair: Address;
  let first: number;
  beforeAll(async () => {
    pairChain = await startTestChain();
    node = await startRpcProxy(pairChain.url);
    const [owner, other] = pairChain.accounts as [Address, Address];
    const [gold, iron] = [
      await pairChain.deploy(artifacts.erc20(), ["Gold", "G"]),
      await pairChain.deploy(artifacts.erc20(), ["Iron", "I"]),
    ];
    const factory = await pairChain.deploy(uniswap.factory(), [owner]);
    const run = async (...transactions: readonly TestTransaction[]) => {
      await pairChain.send(...transactions);
      await pairChain.mine();
    };
    await run({ gas: 8_000_000n, ...call(uniswap.factory(), factory, "createPair", [gold, iron]) });
    const pairWord = await pairChain.rpc<Hex>("eth_call", [call(uniswap.factory(), factory, "getPair", [gold, iron]), "latest"]);
    pair = `0x${pairWord.slice(26)}`;
    first = (await pairChain.head()) + 1;
    const callPair = (method: string, args: readonly unknown[]) => ({ gas: 1_000_000n, ...call(uniswap.pair(), pair, method, args) });
    await run(call(artifacts.erc20(), gold, "mint", [pair, 1_000_000n]), call(artifacts.erc20(), iron, "mint", [pair, 1_000_000n]));
    await run(callPair("mint", [owner]));
    await run(callPair("transfer", [other, 5_000n]), callPair("transfer", [pair, 9_000n]));
    await run(callPair("burn", [owner]));
    await pairChain.mine();
  });
  afterAll(async () => {
    await node?.close();
    await pairChain?.stop();
  });

  it("is event-sourced and has the zero address among its holders", async () => {
    hideOldState(node, await pairChain.head());
    reconciliation = await startReconciliation(pairChain, node.url, test.database, { chain: chainOf({ from: first }) });
    await reconciliation.runFor(0);
    // Transfers from and to the zero address are mints and burns: its balance is not their sum and is read from the contract.
    const withoutBase = await balancesWithoutBase(test.database, 31337, balanceTables, [], 1_000);
    const owners = withoutBase.filter(({ token }) => token === pair).map(({ owner }) => owner);
    expect(owners).toContain(pair);
    expect(owners).not.toContain(zeroAddress);
    await reconciliation.runFor(6);
    expect(await test.database.query("SELECT token FROM node_sourced_tokens")).toEqual([]);
    expect(await countUnknown()).toBe(0);
    const height = await pairChain.head();
    const accountsAndPair = [zeroAddress, pair, ...pairChain.accounts];
    const returned = await balancesOf(
      pairChain,
      accountsAndPair.map((owner) => ({ token: pair, owner, height })),
    );
    // MINIMUM_LIQUIDITY of UniswapV2Pair.
    expect(returned[0]).toBe("1000");
    const expected = accountsAndPair
      .map((owner, position) => ({ owner, balance: returned[position] ?? "0" }))
      .filter(({ balance }) => balance !== "0")
      .sort((left, right) => Number(BigInt(right.balance) - BigInt(left.balance)));
    const queries = createTokenQueries(test.database);
    expect(await queries.holdersAt(31337, pair, 1, height, 100, 0)).toEqual(expected);
    const open = await test.database.query("SELECT 1 FROM balance_periods WHERE owner = $1 AND net_change IS NOT NULL", [
      Buffer.from(zeroAddress.slice(2), "hex"),
    ]);
    expect(open).toEqual([]);
    const supply = await pairChain.rpc<Hex>("eth_call", [{ to: pair, data: "0x18160ddd" }, quantity(height)]);
    expect(await queries.tokenTotalsAt(31337, pair, 1, height)).toMatchObject({
      holders: expected.length,
      supply: BigInt(supply).toString(),
    });
    // The node has no state of earlier blocks, so the zero address's balance there is unknown.
    expect((await queries.holdersAt(31337, pair, 1, height - 1, 100, 0)).map(({ owner }) => owner)).not.toContain(zeroAddress);
    expect((await queries.tokenTotalsAt(31337, pair, 1, height - 1))?.holders).toBe(expected.length - 1);
  });
});
