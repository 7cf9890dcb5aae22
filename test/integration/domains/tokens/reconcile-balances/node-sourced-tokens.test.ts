import { pino } from "pino";
import supertest from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../../../../runtime/app.ts";
import { chainConfig, config } from "../../../../../runtime/config/config.ts";
import { createActivityQueries } from "../../../../../runtime/domains/chains/queries/activity.ts";
import { auditBalances } from "../../../../../runtime/domains/tokens/jobs/audit-balances.ts";
import { createKeys } from "../../../../../runtime/http/keys.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { artifacts, call, startTestChain, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { dump } from "../../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { balanceHistory, createTestIndexer } from "../../../../support/indexer/support.ts";
import { balancesOf, type Reconciliation, startReconciliation } from "./support.ts";
import { unusualBalances } from "./unusual-balances.ts";

// biome-ignore lint/suspicious/noExplicitAny: responses are validated against the catalog; a test reads the fields that it expects
type ResponseData = any;

let chain: TestChain;
let test: TestDatabase;
let reconciliation: Reconciliation;
let get: (path: string) => Promise<ResponseData>;
let end: () => Promise<void>;
const tokens = {} as Record<"honest" | "rebasing" | "fee" | "phishing" | "mute", Address>;
let alice: Address;
let bob: Address;
let carol: Address;

const mineEach = async (...transactions: readonly TestTransaction[]) => {
  for (const transaction of transactions) {
    await chain.send(transaction);
    await chain.mine();
  }
};
const transfer = (name: keyof typeof tokens, from: Address, to: Address, amount: bigint) => ({
  from,
  ...call(unusualBalances("Token"), tokens[name], "transfer", [to, amount]),
});

beforeAll(async () => {
  [chain, test] = await Promise.all([startTestChain(), createTestDatabase()]);
  [alice, bob, carol] = chain.accounts.slice(1, 4) as [Address, Address, Address];
  tokens.honest = await chain.deploy(artifacts.erc20(), ["Gold", "GLD"]);
  tokens.rebasing = await chain.deploy(unusualBalances("Rebasing"));
  tokens.fee = await chain.deploy(unusualBalances("FeeOnTransfer"));
  tokens.phishing = await chain.deploy(unusualBalances("Phishing"));
  tokens.mute = await chain.deploy(unusualBalances("Mute"));
  const mintable = ["honest", "rebasing", "fee", "mute"] as const;
  await mineEach(...mintable.map((name) => call(unusualBalances("Token"), tokens[name], "mint", [alice, 1_000n])));
  await mineEach(
    ...mintable.map((name) => transfer(name, alice, bob, 300n)),
    ...mintable.map((name) => transfer(name, bob, carol, 100n)),
    call(unusualBalances("Phishing"), tokens.phishing, "claim", [alice, bob, 77n]),
    call(unusualBalances("Rebasing"), tokens.rebasing, "rebase", [150n]),
  );
  reconciliation = await startReconciliation(chain, chain.url, test.database);
  const chains = [{ ...chainConfig.parse({ name: "test", id: 31337, rpc: chain.url, groups: ["historical"] }), id: 31337 }];
  const { key } = await createKeys(test.database).create({ label: "test" });
  const settings = config.parse({ limits: { requestsPerSecond: 100_000 } });
  const app = createApp({
    config: settings,
    chains,
    database: test.database,
    logger: pino({ level: "silent" }),
    validate: "strict",
    now: () => new Date(),
  });
  get = async (path) => {
    const response = await supertest(app.app).get(`/v1/test/${path}`).set("Authorization", `Bearer ${key}`);
    expect(response.status, `${path}: ${response.body.error_message}`).toBe(200);
    return response.body.data;
  };
  end = () => app.close();
});
afterAll(async () => {
  await end?.();
  await reconciliation?.end();
  await chain?.stop();
  await test?.drop();
});

const nodeSourcedTokens = async () =>
  (await test.database.query<{ token: Address }>("SELECT token FROM node_sourced_tokens")).map(({ token }) => token).sort();

/** Compares every known balance of the readable tokens with balanceOf() at its first block; returns the number of unknown balances. */
const compareHistory = async (): Promise<number> => {
  const history = await test.database.query<{ owner: Address; token: Address; block_number: number; balance: string | null }>(
    `SELECT owner, token, block_number, balance FROM ${balanceHistory} WHERE standard = 1 ORDER BY block_number, owner, token`,
  );
  const comparable = history.filter(({ token }) => token !== tokens.mute);
  const returned = await balancesOf(
    chain,
    comparable.map(({ block_number, ...row }) => ({ ...row, height: block_number })),
  );
  const known = comparable.flatMap((row, position) => (row.balance === null ? [] : [{ ...row, balance: returned[position] }]));
  expect(comparable.filter(({ balance }) => balance !== null)).toEqual(known);
  expect(known.length).toBeGreaterThan(10);
  return comparable.length - known.length;
};

/** Compares the served balances of each owner with those of the contracts at the head. */
const compareResponses = async () => {
  const head = await chain.head();
  for (const owner of [alice, bob, carol]) {
    const { items } = await get(`address/${owner}/balances_v2/`);
    for (const [name, token] of Object.entries(tokens).filter(([name]) => name !== "mute")) {
      const [returned] = await balancesOf(chain, [{ token, owner, height: head }]);
      const item = items.find(({ contract_address }: ResponseData) => contract_address === token);
      expect(item?.balance ?? "0", `${name} of ${owner}`).toBe(returned);
      if (item !== undefined) expect(item.balance_source).toBe(name === "honest" ? "events" : "node");
    }
  }
};

describe("tokens whose balances do not follow from their events", () => {
  it("are found by comparison and read from their contracts; consistent and unreadable tokens are not", async () => {
    await reconciliation.runFor();
    expect(reconciliation.warnings).toEqual([]);
    expect(await nodeSourcedTokens()).toEqual([tokens.rebasing, tokens.fee, tokens.phishing].sort());
    expect(reconciliation.notes).toHaveLength(3);
    expect(await compareHistory()).toBe(0);
    await compareResponses();
  });

  it("are marked after a second comparison at a later time", async () => {
    const late = await createTestDatabase();
    const second = await startReconciliation(chain, chain.url, late.database);
    await second.runFor(1);
    expect(await late.database.query("SELECT token FROM node_sourced_tokens")).toEqual([]);
    await second.runFor(1);
    expect(await late.database.query("SELECT token FROM node_sourced_tokens")).toHaveLength(3);
    await second.end();
    await late.drop();
  });

  it("have the holders of the contract, no running balances and no supply", async () => {
    const { items, pagination } = await get(`tokens/${tokens.fee}/token_holders_v2/`);
    // Alice gave 300 of 1,000; of these 270 arrived, of which bob gave 100 and carol got 90.
    expect(
      items.map(({ address, balance, balance_source, total_supply }: ResponseData) => [address, balance, balance_source, total_supply]),
    ).toEqual([
      [alice, "700", "node", null],
      [bob, "170", "node", null],
      [carol, "90", "node", null],
    ]);
    expect(pagination.total_count).toBe(3);
    expect((await get(`tokens/${tokens.phishing}/token_holders_v2/`)).items).toEqual([]);
    const transfers = await test.database.query(
      "SELECT 1 FROM transfers WHERE token = ANY ($1) AND (from_balance IS NOT NULL OR to_balance IS NOT NULL)",
      [[tokens.fee, tokens.rebasing, tokens.phishing].map((token) => Buffer.from(token.slice(2), "hex"))],
    );
    expect(transfers).toEqual([]);
    const honest = await get(`tokens/${tokens.honest}/token_holders_v2/`);
    expect(honest.items.map(({ balance, balance_source }: ResponseData) => [balance, balance_source])).toEqual([
      ["700", "events"],
      ["200", "events"],
      ["100", "events"],
    ]);
    expect(honest.items[0].total_supply).toBe("1000");
  });

  it("are read again after events of their owners, and on schedule if balances change without one", async () => {
    await mineEach(transfer("fee", alice, carol, 50n), transfer("rebasing", alice, carol, 50n), transfer("honest", alice, carol, 50n));
    const transferred = await chain.head();
    await reconciliation.runFor();
    expect(await compareHistory()).toBe(0);
    await compareResponses();
    await mineEach(call(unusualBalances("Rebasing"), tokens.rebasing, "rebase", [300n]), { to: alice, value: 1n, gas: 21_000n });
    await reconciliation.runFor(65);
    await compareResponses();
    expect(await compareHistory()).toBe(0);
    const { items } = await get(`address/${carol}/historical_balances/?block-height=${await chain.head()}`);
    const item = items.find(({ contract_address }: ResponseData) => contract_address === tokens.rebasing);
    // 100 and 50 units, at 300 percent.
    expect([item.balance, item.last_transferred_block_height]).toEqual(["450", transferred - 1]);
    expect(reconciliation.warnings).toEqual([]);
  });

  it("are no activity of their holders when they are read", async () => {
    const { lastSeen } = createActivityQueries(test.database);
    const logs = await chain.rpc<{ topics: string[]; blockNumber: string }[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]);
    const last = logs.findLast(({ topics }) => topics.some((topic) => topic.endsWith(carol.slice(2))));
    const { timestamp } = await chain.rpc<{ timestamp: string }>("eth_getBlockByNumber", [last?.blockNumber, false]);
    // A reading of carol is newer than the last transfer that she received.
    const [reading] = await test.database.query<{ since: number }>("SELECT max(since_block) AS since FROM balances WHERE owner = $1", [
      Buffer.from(carol.slice(2), "hex"),
    ]);
    expect(reading?.since).toBeGreaterThan(Number(last?.blockNumber));
    expect(await lastSeen([31337], carol)).toEqual([{ chain_id: 31337, timestamp: Number(timestamp) }]);
  });

  it("are not delayed by tokens without holders", async () => {
    // Forty tokens without a holder are due before the one that changes.
    await test.database.query(
      `INSERT INTO node_sourced_tokens (chain_id, token, standard, found_at_block, owner, node_balance, found_at, refreshed_at)
       SELECT chain_id, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1, 0, owner, 0, found_at, '2000-01-01' FROM node_sourced_tokens, generate_series(1, 40) n
       WHERE token = $1`,
      [Buffer.from(tokens.rebasing.slice(2), "hex")],
    );
    await test.database.query(
      "UPDATE node_sourced_tokens SET refreshed_at = '2001-01-01' WHERE refreshed_at > '2001-01-01' OR refreshed_at IS NULL",
    );
    await mineEach(call(unusualBalances("Rebasing"), tokens.rebasing, "rebase", [400n]));
    await reconciliation.runFor(5);
    await compareResponses();
    await test.database.query("DELETE FROM node_sourced_tokens WHERE token < decode(lpad('ff', 40, '0'), 'hex')");
  });

  it("cause no writes when they are compared again without a change", async () => {
    const before = await dump(test.database);
    await reconciliation.runFor(10);
    expect(await dump(test.database)).toEqual(before);
  });

  it("are audited at the block of each reading; the audit finds a planted row", async () => {
    const audit = async () => {
      const running = await createTestIndexer(chain.url, test.database);
      const rows = await auditBalances(test.database, running.source, 31337, await chain.head(), 1_000);
      await running.close();
      return rows;
    };
    const rows = await audit();
    expect(rows.flatMap(({ differences }) => differences)).toEqual([]);
    const nodeSourced = rows.find(({ subject }) => subject === "balances read from contracts");
    // Two tokens have three owners each; the third token has no holders.
    expect(nodeSourced?.compared).toBe(6);
    expect(nodeSourced?.unknown).toBe(0);
    const plant = (change: string) =>
      test.database.query(`UPDATE balances SET balance = balance ${change} WHERE token = $1 AND owner = $2`, [
        Buffer.from(tokens.fee.slice(2), "hex"),
        Buffer.from(bob.slice(2), "hex"),
      ]);
    await plant("+ 1");
    expect((await audit()).filter(({ differences }) => differences.length > 0).map(({ subject }) => subject)).toEqual([
      "balances read from contracts",
    ]);
    await plant("- 1");
  });

  it("are read again on the new branch after a reorganisation", async () => {
    await mineEach(transfer("fee", alice, bob, 20n), call(unusualBalances("Rebasing"), tokens.rebasing, "rebase", [200n]));
    await reconciliation.runFor(65);
    await chain.rpc("anvil_reorg", [
      4,
      [[{ from: alice, to: tokens.fee, data: transfer("fee", alice, bob, 30n).data, gas: "0xf4240" }, 1]],
    ]);
    await chain.mine();
    await reconciliation.runFor(130);
    expect(await compareHistory()).toBe(0);
    await compareResponses();
    const gaps = await test.database.query(
      `SELECT * FROM (SELECT to_block, lead(from_block) OVER (PARTITION BY owner, token, standard ORDER BY from_block) AS next FROM (
         SELECT owner, token, standard, from_block, to_block FROM balance_periods
         UNION ALL SELECT owner, token, standard, since_block, NULL FROM balances) h) h WHERE to_block + 1 IS DISTINCT FROM next`,
    );
    expect(gaps).toEqual([]);
    expect(await nodeSourcedTokens()).toHaveLength(3);
  });

  it("have the same balances after the projection is rebuilt", async () => {
    const head = await chain.head();
    const readBalances = async () => Promise.all([alice, bob, carol].map((owner) => get(`address/${owner}/balances_v2/`)));
    const balancesOnly = (responses: ResponseData[]) =>
      responses.map(({ items }) => items.map(({ contract_address, balance }: ResponseData) => [contract_address, balance]));
    const before = balancesOnly(await readBalances());
    await reconciliation.end();
    await test.database.query("UPDATE projection_checkpoints SET version = 0 WHERE projection = 'tokens'");
    reconciliation = await startReconciliation(chain, chain.url, test.database);
    await reconciliation.runFor(2);
    expect(await chain.head()).toBe(head);
    expect(balancesOnly(await readBalances())).toEqual(before);
    expect(await compareHistory()).toBe(0);
  });
});
