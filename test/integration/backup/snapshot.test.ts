import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tablesOfChains } from "../../../runtime/backup/chain-tables.ts";
import type { Manifest } from "../../../runtime/backup/manifest.ts";
import { readTables } from "../../../runtime/backup/table-schema.ts";
import { createProgressQueries } from "../../../runtime/domains/ledger/queries/progress.ts";
import { migrations } from "../../../runtime/migrations.ts";
import { recordAction } from "../../../runtime/operator/actions.ts";
import { resumeChain } from "../../../runtime/operator/pause.ts";
import { hashContents } from "../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { createTestIndexer } from "../../support/indexer/support.ts";
import { type IndexedSavings, indexSavings } from "../commands/indexed-savings.ts";
import { makeDeposits } from "../domains/community/savings-directory.ts";
import { startCommunityIndex } from "../domains/community/support.ts";
import { fakeSnapshot, sha256 } from "./fake-snapshot.ts";
import { addSnapshot, backUp, contentsOf, restoreInto, takeSnapshot, temporaryFolder } from "./support.ts";

/** Tables without chain data, and tables that a restore itself writes. */
const excludedTables =
  /^(api_keys|credit_\w+|key_requests|operator_actions|console_\w+|community_protocols|content_versions|indexer_heartbeats|page_anchors|token_requests|chain_restores)$/;
const contentsOfChains = async (testDatabase: TestDatabase): Promise<Record<string, string>> =>
  Object.fromEntries(Object.entries(await contentsOf(testDatabase.database)).filter(([name]) => !excludedTables.test(name)));

describe("a chain snapshot", () => {
  let index: IndexedSavings;
  let folder: string;
  const folders: string[] = [];
  const targets: TestDatabase[] = [];

  const newFolder = async (): Promise<string> => {
    const created = await temporaryFolder();
    folders.push(created);
    return created;
  };
  const newDatabase = async (migrated = true): Promise<TestDatabase> => {
    const created = await createTestDatabase({ migrated });
    targets.push(created);
    return created;
  };
  const protocols = () => [index.addedProtocol().protocol];
  const snapshotHead = async (): Promise<number> =>
    (JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")) as Manifest).chain?.head ?? -1;
  const forge = async (table: string, changeRows: (text: string) => string, changeManifest?: (text: string) => string) => {
    const copy = await newFolder();
    await fakeSnapshot(folder, copy, table, changeRows, changeManifest);
    return copy;
  };
  const forgeManifest = (change: (text: string) => string) => forge("chains", (rows) => rows, change);
  const namesOfChains = async ({ database }: TestDatabase) =>
    (await database.query<{ name: string }>("SELECT name FROM chains ORDER BY chain_id")).map(({ name }) => name);

  beforeAll(async () => {
    index = await indexSavings();
    await index.testDatabase.database.query("INSERT INTO api_keys (hash, label) VALUES (sha256('first'), 'first')");
    // Triggers count these rows in nft_documents, nft_traits and nft_trait_values.
    await index.testDatabase.database.query(
      `INSERT INTO nft_metadata (chain_id, token, token_id, standard, block_number, read_at_block, read_at, document)
       SELECT 31337, '\\x01', id, 721, 1, 1, '2026-01-31', '{}' FROM generate_series(1, 3) id`,
    );
    await index.testDatabase.database.query(
      `INSERT INTO nft_attributes (chain_id, token, token_id, position, read_at_block, trait, value)
       SELECT 31337, '\\x01', id, 0, 1, 'colour', CASE WHEN id < 3 THEN 'red' ELSE 'blue' END FROM generate_series(1, 3) id`,
    );
    // Another chain with the same rows.
    await index.testDatabase.database.transaction(async (client) => {
      await client.query("SET LOCAL ashlar.restores_counts = 'on'");
      for (const { name, columns } of tablesOfChains(await readTables(client))) {
        const names = columns.map((column) => column.name);
        const values = names.map((column) => ({ chain_id: "99", name: name === "chains" ? "'other'" : "name" })[column] ?? column);
        await client.query(`INSERT INTO ${name} (${names}) SELECT ${values} FROM ${name} WHERE chain_id = 31337`);
      }
    });
    folder = await newFolder();
    await takeSnapshot(index.testDatabase, folder);
  });
  afterAll(async () => {
    await index.end();
    for (const target of targets) await target.drop();
    for (const path of folders) await rm(path, { recursive: true, force: true });
  });

  it("is added to an empty database and to one that has another chain, and indexing continues after its last block", async () => {
    const [target, other] = [await newDatabase(false), await newFolder()];
    await takeSnapshot(index.testDatabase, other, "other");
    await addSnapshot(target, other, { chain: { name: "other" }, protocols: protocols() });
    expect(await namesOfChains(target)).toEqual(["other"]);
    const restored = await addSnapshot(target, folder, { chain: { id: 31337 }, protocols: protocols(), readsBack: false });
    expect(restored.omittedProtocols).toEqual([]);
    expect(await contentsOfChains(target)).toEqual(await contentsOfChains(index.testDatabase));
    expect(await target.database.query("SELECT label FROM api_keys")).toEqual([]);
    // Two of the three documents have this value.
    expect(await target.database.query("SELECT chain_id, tokens FROM nft_trait_values WHERE value = 'red' ORDER BY 1")).toEqual([
      { chain_id: 99, tokens: 2 },
      { chain_id: 31337, tokens: 2 },
    ]);
    expect(await target.database.query("SELECT paused_at FROM chains")).toEqual([{ paused_at: null }, { paused_at: null }]);
    expect((await target.database.query("SELECT 1 FROM content_versions WHERE chain_id = 31337")).length).toBeGreaterThan(0);

    const head = await snapshotHead();
    const continued = await startCommunityIndex(index.chain, target.database, { protocols: protocols() });
    await makeDeposits(index.chain, index.market);
    await index.sync();
    await continued.sync();
    await continued.end();
    expect(await hashContents(target.database)).toEqual(await hashContents(index.testDatabase.database));
    // The deposits are in three blocks, and no other block is fetched.
    const events = continued.running.progress.filter(({ blockCount }) => blockCount > 0);
    expect(events.reduce((sum, { blockCount }) => sum + blockCount, 0)).toBe(3);
    expect(Math.max(...events.map(({ block }) => block))).toBe(head + 3);
  });

  it("is verified by reading the restored rows back", async () => {
    await addSnapshot(await newDatabase(false), folder, { protocols: protocols(), readsBack: true });
  });

  it("does not affect a chain's rows if its indexer has started in the meantime", async () => {
    const target = await newDatabase();
    const insertRead = "INSERT INTO base_reads (chain_id, key, block_number, reverted) VALUES (7, '\\x01', 1, true)";
    await target.database.query(insertRead);
    await addSnapshot(target, folder);
    expect(await target.database.query("SELECT chain_id FROM base_reads WHERE chain_id = 7")).toEqual([{ chain_id: 7 }]);
  });

  it("receives the configured name, even if the name in the snapshot belongs to another chain", async () => {
    const [target, other] = [await newDatabase(), await newFolder()];
    await takeSnapshot(index.testDatabase, other, "other");
    await addSnapshot(target, other, { chain: { name: "test" } });
    await expect(addSnapshot(target, folder)).rejects.toThrow("The name test belongs to chain 99 in this index");
    await addSnapshot(target, folder, { chain: { name: "mainnet" } });
    expect(await namesOfChains(target)).toEqual(["test", "mainnet"]);
  });

  it("is refused without any change for another chain, genesis block or schema, or if the index has the chain", async () => {
    const target = await newDatabase();
    const attempt = (options: Parameters<typeof addSnapshot>[2], from = folder) => addSnapshot(target, from, options);
    await expect(attempt({ chain: { id: 1 } })).rejects.toThrow("The snapshot is of chain 31337 (test), but test is configured as chain 1");
    const genesisHash = `0x${"1".repeat(64)}`;
    await expect(attempt({ chain: { genesisHash } })).rejects.toThrow(`but the node of test reports ${genesisHash}`);
    const last = migrations.at(-1)?.name ?? "";
    const older = await forgeManifest((text) => text.replace(`,"${last}"`, ""));
    await expect(attempt({}, older)).rejects.toThrow(`The snapshot's schema is older than the database's (missing migration: ${last})`);
    await target.database.query("DELETE FROM ashlar_migrations WHERE name = $1", [last]);
    await expect(attempt({})).rejects.toThrow(`The database's schema is older than the snapshot's (missing migration: ${last})`);
    await expect(attempt({ migrations: migrations.slice(0, -1) })).rejects.toThrow(`unknown migration: ${last}`);
    await target.database.query("INSERT INTO ashlar_migrations (name, batch, migration_time) VALUES ($1, 1, now())", [last]);
    expect(await namesOfChains(target)).toEqual([]);
    await attempt({});
    const before = await contentsOf(target.database);
    await expect(attempt({})).rejects.toThrow("Chain test is already in the index: use another database, or remove it");
    expect(await contentsOf(target.database)).toEqual(before);
  });

  it("cannot be restored as a backup of the entire index, or vice versa", async () => {
    const [target, backup] = [await newDatabase(false), await newFolder()];
    await backUp(index.testDatabase, backup);
    await expect(addSnapshot(target, backup)).rejects.toThrow("has a backup of an entire index: restore it without --chain");
    await expect(restoreInto(target, folder)).rejects.toThrow("has a snapshot of chain test");
    await expect(takeSnapshot(index.testDatabase, await newFolder(), "base")).rejects.toThrow(
      'Invalid value "base" for the chain: expected an indexed chain (other, test).',
    );
  });

  it("is added without the tables of a protocol that is declared differently; these keep other chains' rows", async () => {
    const [target, other] = [await newDatabase(), await newFolder()];
    await takeSnapshot(index.testDatabase, other, "other");
    await addSnapshot(target, other, { chain: { name: "other" }, protocols: protocols() });
    const { omittedProtocols } = await addSnapshot(target, folder);
    expect(omittedProtocols).toEqual(["savings"]);
    const checkpoints = "SELECT chain_id FROM projection_checkpoints WHERE projection = 'community:savings'";
    expect(await target.database.query(checkpoints)).toEqual([{ chain_id: 99 }]);
    expect(await target.database.query("SELECT id FROM community_protocols")).toEqual([{ id: "savings" }]);
    // The indexed chain has 12 deposits.
    expect(await target.database.query("SELECT chain_id, count(*) AS rows FROM cq_savings_deposits GROUP BY 1")).toEqual([
      { chain_id: 99, rows: 12 },
    ]);
  });

  it("cannot write another chain's rows, even if its files contain them", async () => {
    const target = await newDatabase();
    await addSnapshot(target, await takeOtherSnapshot(), { chain: { name: "other" } });
    const blocks = () => target.database.query("SELECT * FROM blocks WHERE chain_id = 99 ORDER BY number");
    const transfers = () => target.database.query("SELECT * FROM transfers WHERE chain_id = 99 ORDER BY block_number, ordinal");
    const before = [await blocks(), await transfers()];
    const replaced = await forge("transfers", (rows) => rows.replace(/^31337\t/m, "99\t"));
    await expect(addSnapshot(target, replaced)).rejects.toThrow("transfers.copy.gz has rows of another chain");
    const smuggled = await forge("blocks", (rows) => `${rows}99${rows.slice("31337".length, rows.indexOf("\n") + 1)}`);
    await target.database.query("UPDATE chain_restores SET backup = $1", [sha256(await readFile(join(smuggled, "manifest.json"), "utf8"))]);
    await expect(addSnapshot(target, smuggled)).rejects.toThrow("blocks.copy.gz has rows of another chain");
    expect([await blocks(), await transfers()]).toEqual(before);
  });
  const takeOtherSnapshot = async (): Promise<string> => {
    const other = await newFolder();
    await takeSnapshot(index.testDatabase, other, "other");
    return other;
  };

  it("can be restored again after a failed restore; until then, its chain is neither served nor indexed, unlike other chains", async () => {
    const target = await newDatabase();
    await addSnapshot(target, await takeOtherSnapshot(), { chain: { name: "other" }, protocols: protocols() });
    // The restore fails at one table, after others are complete.
    const broken = await forgeManifest((text) => text.replace(/("name":"token_metadata".*?"rows":)\d+/, "$199"));
    await expect(addSnapshot(target, broken, { protocols: protocols() })).rejects.toThrow("token_metadata.copy.gz has");
    const { progressOf } = createProgressQueries(target.database);
    expect([...(await progressOf([31337, 99])).keys()]).toEqual([99]);
    expect(await resumeChain(target.database, { id: 31337, name: "test" }, "operator@test")).toBe("being restored");
    await expect(takeSnapshot(target, await newFolder())).rejects.toThrow("Chain test is being restored");
    const indexer = await createTestIndexer(index.chain.url, target.database);
    await expect(indexer.indexer.run(AbortSignal.timeout(5_000))).rejects.toThrow("Chain test is not completely restored");
    await indexer.close();

    await expect(addSnapshot(target, folder, { protocols: protocols() })).rejects.toThrow("partly restored from another snapshot");
    await target.database.query("UPDATE chain_restores SET backup = $1", [sha256(await readFile(join(folder, "manifest.json"), "utf8"))]);
    const { resumedTableCount } = await addSnapshot(target, folder, {
      protocols: protocols(),
      onRestored: (client) => recordAction(client, { actor: "operator@test", action: "chain.restore", subject: "test" }),
    });
    expect(resumedTableCount).toBeGreaterThan(0);
    const expected = await newDatabase();
    await addSnapshot(expected, await takeOtherSnapshot(), { chain: { name: "other" }, protocols: protocols() });
    await addSnapshot(expected, folder, { protocols: protocols() });
    expect(await contentsOfChains(target)).toEqual(await contentsOfChains(expected));
    expect(await target.database.query("SELECT action FROM operator_actions")).toEqual([{ action: "chain.restore" }]);
  });
});
