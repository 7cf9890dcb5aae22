import { pino } from "pino";
import supertest from "supertest";
import { expect } from "vitest";
import { createApp } from "../../../../../../runtime/app.ts";
import { chainConfigSchema, configSchema } from "../../../../../../runtime/config/config.ts";
import { noKeyLimits } from "../../../../../../runtime/config/key-limits.ts";
import { createKeys } from "../../../../../../runtime/http/keys.ts";
import type { Address } from "../../../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../support/database.ts";
import { balanceHistory } from "../../../../../support/indexer/support.ts";
import { balancesOf, type Reconciliation, startReconciliation } from "../support.ts";
import { unusualBalances } from "../unusual-balances.ts";

/** The data of a response. */
// biome-ignore lint/suspicious/noExplicitAny: responses are validated against the catalog; a test reads the fields that it expects
export type ResponseData = any;

/** The test chain. */
export let chain: TestChain;
/** The database of the index. */
export let testDatabase: TestDatabase;
/** The index and its reconciliation. */
export let reconciliation: Reconciliation;
/** Requests a path of the chain, expects status 200, and returns the data. */
export let get: (path: string) => Promise<ResponseData>;
let end: () => Promise<void>;
/** The tokens, by how their balances change. */
export const tokens = {} as Record<"honest" | "rebasing" | "fee" | "phishing" | "mute", Address>;
/** An account that holds tokens. */
export let alice: Address;
/** An account that holds tokens. */
export let bob: Address;
/** An account that holds tokens. */
export let carol: Address;

/** Mines each transaction in a separate block. */
export const mineEach = async (...transactions: readonly TestTransaction[]) => {
  for (const transaction of transactions) {
    await chain.send(transaction);
    await chain.mine();
  }
};
/** A transaction that transfers a token. */
export const transfer = (name: keyof typeof tokens, from: Address, to: Address, amount: bigint) => ({
  from,
  ...encodeCall(unusualBalances("Token"), tokens[name], "transfer", [to, amount]),
});

/** The tokens that are marked as node-sourced. */
export const nodeSourcedTokens = async () =>
  (await testDatabase.database.query<{ token: Address }>("SELECT token FROM node_sourced_tokens")).map(({ token }) => token).sort();

/** Compares every known balance of the readable tokens with balanceOf() at its first block; returns the number of unknown balances. */
export const compareHistory = async (): Promise<number> => {
  const history = await testDatabase.database.query<{ owner: Address; token: Address; block_number: number; balance: string | null }>(
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

/** Compares the served balances of each owner with the contracts' balances at the head. */
export const compareResponses = async () => {
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

/** Restarts the index with a new version of the tokens projection. */
export const rebuild = async (): Promise<void> => {
  await reconciliation.end();
  await testDatabase.database.query("UPDATE projection_checkpoints SET version = 0 WHERE projection = 'tokens'");
  reconciliation = await startReconciliation(chain, chain.url, testDatabase.database);
};

/** Starts the chain with the tokens, its index with reconciliation, and the API. */
export const setUp = async () => {
  [chain, testDatabase] = await Promise.all([startTestChain(), createTestDatabase()]);
  [alice, bob, carol] = chain.accounts.slice(1, 4) as [Address, Address, Address];
  tokens.honest = await chain.deploy(artifacts.erc20(), ["Gold", "GLD"]);
  tokens.rebasing = await chain.deploy(unusualBalances("Rebasing"));
  tokens.fee = await chain.deploy(unusualBalances("FeeOnTransfer"));
  tokens.phishing = await chain.deploy(unusualBalances("Phishing"));
  tokens.mute = await chain.deploy(unusualBalances("Mute"));
  const mintable = ["honest", "rebasing", "fee", "mute"] as const;
  await mineEach(...mintable.map((name) => encodeCall(unusualBalances("Token"), tokens[name], "mint", [alice, 1_000n])));
  await mineEach(
    ...mintable.map((name) => transfer(name, alice, bob, 300n)),
    ...mintable.map((name) => transfer(name, bob, carol, 100n)),
    encodeCall(unusualBalances("Phishing"), tokens.phishing, "claim", [alice, bob, 77n]),
    encodeCall(unusualBalances("Rebasing"), tokens.rebasing, "rebase", [150n]),
  );
  reconciliation = await startReconciliation(chain, chain.url, testDatabase.database);
  const chains = [{ ...chainConfigSchema.parse({ name: "test", id: 31337, rpc: chain.url, groups: ["historical"] }), id: 31337 }];
  const { key } = await createKeys(testDatabase.database).create({ label: "test" });
  const settings = configSchema.parse({ limits: { requestsPerSecond: 100_000, ...noKeyLimits } });
  const app = createApp({
    config: settings,
    chains,
    database: testDatabase.database,
    logger: pino({ level: "silent" }),
    validate: "strict",
    now: () => new Date(),
  });
  get = async (path) => {
    const response = await supertest(app.listener).get(`/v1/test/${path}`).set("Authorization", `Bearer ${key}`);
    expect(response.status, `${path}: ${response.body.error_message}`).toBe(200);
    return response.body.data;
  };
  end = () => app.close();
};

/** Stops what `setUp` started. */
export const tearDown = async () => {
  await end?.();
  await reconciliation?.end();
  await chain?.stop();
  await testDatabase?.drop();
};
