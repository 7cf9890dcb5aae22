import { afterAll, beforeAll, expect, test } from "vitest";
import { createAsOfProjection } from "../../../runtime/api/as-of-projection.ts";
import { identifier, sql } from "../../../runtime/database/sql.ts";
import { createProgressQueries } from "../../../runtime/domains/ledger/queries/progress.ts";
import { listActions } from "../../../runtime/operator/actions.ts";
import { isPaused, resumeChain } from "../../../runtime/operator/pause.ts";
import { removeChain } from "../../../runtime/operator/remove-chain.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { hashContents } from "../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { createTestIndexer, runInBackground } from "../../support/indexer/support.ts";
import { until } from "../../support/until.ts";

const [kept, copied] = [31337, 99];
let chain: TestChain;
let testDatabase: TestDatabase;

beforeAll(async () => {
  chain = await startTestChain();
  testDatabase = await createTestDatabase();
  const [from, to] = (await chain.rpc("eth_accounts", [])) as string[];
  for (let block = 0; block < 30; block += 1) {
    await chain.rpc("eth_sendTransaction", [{ from, to, value: "0x1" }]);
    await chain.mine();
  }
  const indexer = await createTestIndexer(chain.url, testDatabase.database);
  await indexer.runToHead(Number(await chain.rpc("eth_blockNumber", [])));
  await indexer.close();
});
afterAll(async () => {
  await testDatabase?.drop();
  await chain?.stop();
});

interface ChainTable {
  readonly name: string;
  readonly columns: readonly string[];
}

const chainTables = (): Promise<ChainTable[]> =>
  testDatabase.database.query<ChainTable>(
    `SELECT c.relname::text AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' GROUP BY c.relname HAVING bool_or(a.attname = 'chain_id') ORDER BY 1`,
  );
/** The number of rows of a chain, by table. */
const rowsOf = async (id: number): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { name } of await chainTables()) {
    const [row] = await testDatabase.database.query<{ rows: number }>(
      sql`SELECT count(*) AS rows FROM ${identifier(name)} WHERE chain_id = $1`.text,
      [id],
    );
    if (row !== undefined && row.rows > 0) counts[name] = row.rows;
  }
  return counts;
};
const newValues: Readonly<Record<string, string>> = { chain_id: String(copied), "chains.name": "'copy'" };
/** Copies all of the indexed chain's rows to another chain id. */
const copyChain = async (): Promise<void> => {
  for (const { name, columns } of await chainTables()) {
    const values = columns.map((column) => newValues[`${name}.${column}`] ?? newValues[column] ?? `"${column}"`);
    const names = columns.map((column) => `"${column}"`);
    await testDatabase.database.query(`DELETE FROM ${name} WHERE chain_id = ${copied}`);
    await testDatabase.database.query(
      `INSERT INTO ${name} (${names}) OVERRIDING SYSTEM VALUE SELECT ${values} FROM ${name} WHERE chain_id = ${kept}`,
    );
  }
};
const target = { id: copied, name: "copy" };
const remove = (onProgress: (done: number, total: number) => void = () => undefined) =>
  removeChain({
    database: testDatabase.database,
    chain: target,
    actor: "operator@test",
    onProgress,
    waitMilliseconds: 2_000,
    batchPages: 1,
  });

test("a killed removal can be resumed, deletes all of the chain's rows but none of other chains, and the chain is not served meanwhile", async () => {
  const [before, counts] = [await hashContents(testDatabase.database), await rowsOf(kept)];
  expect(Object.keys(counts).length).toBeGreaterThan(5);
  await copyChain();
  expect(Object.keys(await rowsOf(copied))).toEqual(Object.keys(counts));
  let batches = 0;
  const killed = remove(() => {
    batches += 1;
    if (batches === 3) throw new Error("killed");
  });
  await expect(killed).rejects.toThrow("killed");

  const { asOfStateOf } = createAsOfProjection(
    createProgressQueries(testDatabase.database),
    () => true,
    () => false,
  );
  const removing = { status: 503, message: "The chain is being removed from the index." };
  await expect(asOfStateOf(copied, "getBlock", {})).rejects.toMatchObject(removing);
  expect((await asOfStateOf(kept, "getBlock", {}))?.block).toBeGreaterThan(0);
  expect(await resumeChain(testDatabase.database, target, "operator@test")).toBe("being removed");
  expect(await isPaused(testDatabase.database, copied)).toBe(true);

  const remaining = Object.values(await rowsOf(copied)).reduce((sum, rows) => sum + rows, 0);
  const progress: [number, number][] = [];
  // The row in chains is not counted. Triggers on deletion write content versions again.
  expect(await remove((done, total) => void progress.push([done, total]))).toBeGreaterThanOrEqual(remaining - 1);
  expect(await rowsOf(copied)).toEqual({});
  expect(await rowsOf(kept)).toEqual(counts);
  expect(await hashContents(testDatabase.database)).toEqual(before);
  expect(progress.every(([done, total]) => done > 0 && done <= total)).toBe(true);
  const actions = (await listActions(testDatabase.database, 10)).map(({ action, subject, details }) => ({
    action,
    subject,
    status: details.status,
  }));
  expect(actions).toEqual([
    { action: "chain.remove", subject: "copy", status: "completed" },
    { action: "chain.remove", subject: "copy", status: "started" },
  ]);
});

test("a chain cannot be removed while it is being indexed", async () => {
  const running = await createTestIndexer(chain.url, testDatabase.database);
  const stop = runInBackground(running);
  await until("the indexer to lead", () => running.indexer.status().isLeading);
  const before = await rowsOf(kept);
  const options = { database: testDatabase.database, actor: "operator@test", onProgress: () => undefined, waitMilliseconds: 1_000 };
  expect(await removeChain({ ...options, chain: { id: kept, name: "test" } })).toBeNull();
  expect(await rowsOf(kept)).toEqual(before);
  await stop();
});
