import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Queryable } from "../../../runtime/database/database.ts";
import { recordContentChange } from "../../../runtime/indexer/storage/content-version.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const chainId = 7;
let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  await testDatabase.database.query(
    "INSERT INTO chains (chain_id, name, genesis_hash, indexed_from, native_accounting) VALUES ($1, 'test', '', 0, 'none')",
    [chainId],
  );
  await testDatabase.database.query(
    "INSERT INTO nft_reads (chain_id, token, token_id, standard, block_number) VALUES ($1, '', 1, 721, 0)",
    [chainId],
  );
});
afterAll(() => testDatabase?.drop());

const versionOf = async (chain = chainId): Promise<number> => {
  const [row] = await testDatabase.database.query<{ version: number }>(
    "SELECT coalesce(sum(version), 0)::int8 AS version FROM content_versions WHERE chain_id = $1",
    [chain],
  );
  return row?.version ?? 0;
};

describe("a chain's content version", () => {
  let before: number;
  beforeEach(async () => {
    before = await versionOf();
  });

  it.each([
    [
      "a checkpoint is added",
      "INSERT INTO projection_checkpoints (chain_id, projection, version, block_number) VALUES ($1, 'ledger', 1, 5)",
    ],
    ["a checkpoint moves", "UPDATE projection_checkpoints SET block_number = 6 WHERE chain_id = $1"],
    ["a checkpoint is deleted", "DELETE FROM projection_checkpoints WHERE chain_id = $1"],
    ["metadata of a token is read", "INSERT INTO token_metadata (chain_id, address, block_number, read_at_block) VALUES ($1, '', 0, 0)"],
    ["metadata of a token is read again", "UPDATE token_metadata SET name = 'new' WHERE chain_id = $1"],
    [
      "a document is stored",
      "INSERT INTO nft_metadata (chain_id, token, token_id, standard, block_number, read_at_block, read_at) VALUES ($1, '', 1, 721, 0, 0, now())",
    ],
    ["a read of a document fails", "UPDATE nft_reads SET problem = 'The host did not respond.' WHERE chain_id = $1"],
    ["several documents are stored", "UPDATE nft_metadata SET name = 'new' WHERE chain_id = $1"],
    ["documents are deleted", "DELETE FROM nft_metadata WHERE chain_id = $1"],
    ["a failed read is removed", "DELETE FROM nft_reads WHERE chain_id = $1"],
    [
      "a failed read is queued",
      "INSERT INTO nft_reads (chain_id, token, token_id, standard, block_number, problem) VALUES ($1, '', 2, 721, 0, 'The host did not respond.')",
    ],
    ["prices are discarded", "INSERT INTO price_settings (chain_id, revision) VALUES ($1, 1)"],
    ["a chain is renamed", "UPDATE chains SET name = 'renamed' WHERE chain_id = $1"],
  ])("increases by one when %s", async (_label, statement) => {
    await testDatabase.database.query(statement, [chainId]);
    expect(await versionOf()).toBe(before + 1);
  });

  it("increases for each chain that a statement changes", async () => {
    const other = await versionOf(10);
    await testDatabase.database.query(
      `INSERT INTO nft_metadata (chain_id, token, token_id, standard, block_number, read_at_block, read_at)
       SELECT chain, '', id, 721, 0, 0, now() FROM unnest(ARRAY[$1, 10]::int8[]) chain, generate_series(1, 3) id`,
      [chainId],
    );
    expect([await versionOf(), await versionOf(10)]).toEqual([before + 1, other + 1]);
  });

  it("does not change if a statement changes no row, or only reads that did not fail", async () => {
    await testDatabase.database.query("UPDATE nft_metadata SET name = '' WHERE chain_id = $1 AND false", [chainId]);
    await testDatabase.database.query(
      "INSERT INTO nft_reads (chain_id, token, token_id, standard, block_number) VALUES ($1, '', 3, 721, 0)",
      [chainId],
    );
    await testDatabase.database.query("DELETE FROM nft_reads WHERE chain_id = $1 AND token_id = 3", [chainId]);
    expect(await versionOf()).toBe(before);
  });

  it("does not change with the node's state or a read's lease", async () => {
    await testDatabase.database.query("UPDATE chains SET latest_block = 9, seen_at = now() WHERE chain_id = $1", [chainId]);
    await testDatabase.database.query("UPDATE nft_reads SET leased_until = now() WHERE chain_id = $1", [chainId]);
    expect(await versionOf()).toBe(before);
  });

  it("increases once per transaction, when it commits, and only for its chains", async () => {
    await testDatabase.database.transaction(async (client) => {
      for (let change = 0; change < 3; change += 1) await recordContentChange(client, chainId);
      await recordContentChange(client, 8);
      expect(await versionOf()).toBe(before);
    });
    expect([await versionOf(), await versionOf(8), await versionOf(9)]).toEqual([before + 1, 1, 0]);
  });

  it("does not increase for changes that are rolled back, including to a savepoint", async () => {
    await testDatabase.database.transaction(async (client) => {
      await client.query("SAVEPOINT before_change");
      await recordContentChange(client, chainId);
      await client.query("ROLLBACK TO SAVEPOINT before_change");
    });
    expect(await versionOf()).toBe(before);
    await testDatabase.database.transaction(async (client) => {
      await client.query("SAVEPOINT before_change");
      await recordContentChange(client, chainId);
      await client.query("ROLLBACK TO SAVEPOINT before_change");
      await recordContentChange(client, chainId);
    });
    expect(await versionOf()).toBe(before + 1);
  });

  it("is increased by concurrent transactions without waiting for each other", async () => {
    // Each transaction starts while the previous one is open.
    const nested = async (depth: number): Promise<void> => {
      if (depth === 0) return;
      await testDatabase.database.transaction(async (client: Queryable) => {
        await recordContentChange(client, chainId);
        await nested(depth - 1);
      });
    };
    await nested(3);
    expect(await versionOf()).toBe(before + 3);
  });
});
