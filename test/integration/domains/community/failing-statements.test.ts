import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lendingColumns } from "../../../../runtime/declarations/lending-columns.ts";
import type { LendingQuery, OperationQuery } from "../../../../runtime/declarations/protocol.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { contracts } from "./contracts.ts";
import { type ServedCommunity, serveCommunity } from "./serve.ts";
import { type CommunityIndex, startCommunityIndex, vaultsOf } from "./support.ts";
import { type Market, startMarket } from "./vault-market.ts";

let chain: TestChain;
let market: Market;
let testDatabase: TestDatabase;
let index: CommunityIndex;
let hash: string | undefined;

beforeAll(async () => {
  chain = await startTestChain();
  market = await startMarket(chain);
  testDatabase = await createTestDatabase();
  index = await startCommunityIndex(chain, testDatabase.database, { protocols: protocols({}) });
  const [from] = chain.accounts as [Address];
  [hash] = await chain.send({ from, ...encodeCall(contracts("Vault"), market.vaults[0] as Address, "deposit", [1_000n, from]) });
  await chain.mine();
  await index.sync();
});
afterAll(async () => {
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

/** A lending query that returns a transaction's deposits; `event` is the SQL expression for the event's name. */
const lendingOf = (id: string, event = "'Deposit'"): LendingQuery => {
  const values: Readonly<Record<string, string>> = { log_offset: "e.log_index", protocol_address: "e.contract", event };
  const columns = lendingColumns.map((name) => `${values[name] ?? "NULL"} AS "${name}"`);
  return {
    file: "../shared/lending.sql",
    text: `SELECT ${columns.join(", ")} FROM "cq_${id}".deposits e WHERE e.chain_id = $1 AND e.block_number = $2 AND e.transaction_index = $3`,
    parameters: ["chain", "block", "transaction_index"],
    columns: lendingColumns,
    views: [],
    ...{ label: id, version: null, fork: null, forkVersion: null },
  };
};

/** Two protocols for the same vaults, the second one with a different event name. */
const protocols = (parts: { readonly event?: string; readonly operations?: Readonly<Record<string, OperationQuery>> }) => [
  vaultsOf(market.factory, { lending: lendingOf("vaults") }),
  vaultsOf(market.factory, { id: "protocol_06", lending: lendingOf("protocol_06", parts.event), operations: parts.operations ?? {} }),
];

/** Serves the protocols for one request, and returns its result with the reasons of logged errors. */
const serveOnce = async <T>(
  parts: Parameters<typeof protocols>[0],
  request: (community: ServedCommunity) => Promise<T>,
): Promise<{ readonly result: T; readonly reasons: readonly unknown[] }> => {
  const logged: string[] = [];
  const community = await serveCommunity(testDatabase.database, { protocols: protocols(parts), community: {}, logged });
  try {
    const result = await request(community);
    const lines = logged.map((line) => JSON.parse(line) as { readonly level: number; readonly reason?: unknown });
    // 50 is pino's level `error`.
    return { result, reasons: lines.flatMap(({ level, reason }) => (level === 50 ? [reason] : [])) };
  } finally {
    await community.close();
  }
};

const lendingDetails = (parts: Parameters<typeof protocols>[0]) =>
  serveOnce(parts, async (community) => {
    const [transaction] = await community.itemsOf(`transaction_v2/${hash}/?with-lending=true&no-logs=true`);
    return transaction?.lending_details;
  });

describe("lending details of two protocols", () => {
  it("contain both protocols' events", async () => {
    const { result, reasons } = await lendingDetails({});
    expect(result).toMatchObject([
      { protocol_name: "vaults", event: "Deposit", protocol_address: market.vaults[0] },
      { protocol_name: "protocol_06", event: "Deposit", protocol_address: market.vaults[0] },
    ]);
    expect(reasons).toEqual([]);
  });

  it.each([
    ["one protocol's statement fails", "e.lendr::text", "column e.lendr does not exist"],
    ["one protocol returns a row without an event", "NULL", "Column event of a lending row is null."],
  ])("are null, with the reason in the log, if %s", async (_case, event, reason) => {
    expect(await lendingDetails({ event })).toEqual({ result: null, reasons: [`lending of protocol_06, shared/lending.sql: ${reason}`] });
  });
});

describe("an operation whose statement fails", () => {
  it("responds with 500, and the log names its protocol, operation and file", async () => {
    const markets = { file: "markets.sql", text: "SELECT e.lendr", parameters: [], columns: [], views: [] };
    const { result, reasons } = await serveOnce({ operations: { markets } }, (community) => community.request("protocol_06/markets/"));
    expect(result.status).toBe(500);
    expect(result.message).not.toContain("lendr");
    expect(reasons).toEqual(['markets of protocol_06, markets.sql: missing FROM-clause entry for table "e"']);
  });
});
