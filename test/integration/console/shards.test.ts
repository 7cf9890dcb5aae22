import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChainsResponse } from "../../../runtime/console/responses.ts";
import { createDatabase } from "../../../runtime/database/database.ts";
import { listActions } from "../../../runtime/operator/actions.ts";
import { startTestConsole } from "../../support/console.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { freePort } from "../../support/free-port.ts";

/** Chain `one` is in the control database and `two` is in `b`; the control database also has old rows of `two`, as after a move. */
let control: TestDatabase;
let b: TestDatabase;
const databases: Readonly<Record<string, string | null>> = { one: null, two: "b" };
const databaseNameOf = (chain: string) => databases[chain];

const addChain = ({ database }: TestDatabase, id: number, name: string, head: number) =>
  database.query("INSERT INTO chains (chain_id, name, indexed_from, genesis_hash, latest_block) VALUES ($1, $2, 0, $3, $4)", [
    id,
    name,
    Buffer.alloc(32),
    head,
  ]);

beforeAll(async () => {
  [control, b] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  await addChain(control, 1, "one", 10);
  await addChain(control, 2, "two", 20);
  await addChain(b, 2, "two", 30);
});
afterAll(() => Promise.all([control?.drop(), b?.drop()]));

test("the console shows and changes chains in their configured databases", async () => {
  const shards = [{ name: "b", database: b.database, indexing: b.database }];
  const console = await startTestConsole(control.database, { shards, databaseNameOf });
  try {
    const cookie = await console.signIn();
    const { chains, unavailable } = (await (await console.send("chains", { cookie })).json()) as ChainsResponse;
    expect([chains.map(({ name, nodeBlock }) => [name, nodeBlock]), unavailable]).toEqual([
      [
        ["one", 10],
        ["two", 30],
      ],
      [],
    ]);
    const unknown = await console.send("chains/three", { cookie });
    expect([unknown.status, await unknown.json()]).toEqual([404, { error: 'Unknown chain "three": expected one, two.' }]);
    expect((await console.send("chains/two/pause", { cookie, body: {} })).status).toBe(200);
    const paused = "SELECT paused_at IS NOT NULL AS paused FROM chains WHERE name = 'two'";
    expect([await control.database.query(paused), await b.database.query(paused)]).toEqual([[{ paused: false }], [{ paused: true }]]);
    expect((await listActions(control.database, 1)).map(({ action, subject }) => [action, subject])).toEqual([["chain.pause", "two"]]);
  } finally {
    console.close();
  }
});

test("the console reports a database that does not respond, and shows the chains of the other databases", async () => {
  const url = `postgresql://ashlar@127.0.0.1:${await freePort()}/none`;
  const lost = createDatabase({ url, poolSize: 1, statementTimeoutMilliseconds: 1_000, applicationName: "ashlar-test" });
  const console = await startTestConsole(control.database, { shards: [{ name: "b", database: lost, indexing: lost }], databaseNameOf });
  try {
    const cookie = await console.signIn();
    const { chains, unavailable } = (await (await console.send("chains", { cookie })).json()) as ChainsResponse;
    expect([chains.map(({ name }) => name), unavailable]).toEqual([["one"], ["b"]]);
    const response = await console.send("chains/two", { cookie });
    expect([response.status, await response.json()]).toEqual([
      503,
      { error: "No response from database b, which may contain two: try again later." },
    ]);
    // Chain three is not configured, so any database may contain it.
    const unknown = await console.send("chains/three", { cookie });
    expect([unknown.status, await unknown.json()]).toEqual([
      503,
      { error: "No response from database b, which may contain three: try again later." },
    ]);
  } finally {
    console.close();
    await lost.close();
  }
});
