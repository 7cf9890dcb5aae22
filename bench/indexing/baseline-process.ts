import pg from "pg";
import { createDatabase } from "../../runtime/database/database.ts";
import { readArgument, reportResult, startClock } from "../support/measured-process.ts";
import { copyText, copyValues, encodeTable, readTable } from "./copied-rows.ts";
import { fetchBlocks } from "./fetch-blocks.ts";
import type { BaselineOptions, Timing } from "./runs.ts";

// The minimum work of any indexer: fetch the same blocks and receipts in batches, then COPY the same rows from memory.
const options = readArgument<BaselineOptions>();
const connection = { poolSize: 1, statementTimeoutMilliseconds: 0, applicationName: "ashlar-bench" };

const source = createDatabase({ url: options.rowsUrl, ...connection });
const tables = await Promise.all(options.tables.map((name) => readTable(source, name)));
await source.close();
const texts = options.rowsAs === "text" ? tables.map(encodeTable) : [];
const target = createDatabase({ url: options.databaseUrl, ...connection });
await target.query("SELECT 1");
const client = new pg.Client({ connectionString: options.databaseUrl });
await client.connect();
// As in a backfill, a commit does not wait for the disk.
await client.query("SET synchronous_commit = off");

const clock = startClock();
await fetchBlocks(options);
const fetched = clock();
for (const [position, table] of tables.entries()) {
  const text = texts[position];
  if (text === undefined) await copyValues(target, table);
  else await copyText(client, table, text);
}
const written = clock();
await client.end();
await target.close();
reportResult<Timing>({ ...written, steps: { fetch: fetched.milliseconds, write: written.milliseconds - fetched.milliseconds } });
