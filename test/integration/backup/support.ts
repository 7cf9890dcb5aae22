import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Manifest } from "../../../runtime/backup/manifest.ts";
import { type RestoreResult, restoreBackup } from "../../../runtime/backup/restore-backup.ts";
import {
  type ChainRestoreResult,
  type ExpectedChain,
  type RestoreChainOptions,
  restoreChain,
} from "../../../runtime/backup/restore-chain.ts";
import { writeBackup } from "../../../runtime/backup/write-backup.ts";
import type { Queryable } from "../../../runtime/database/database.ts";
import type { Protocol } from "../../../runtime/declarations/protocol.ts";
import { installTables } from "../../../runtime/domains/community/install/install.ts";
import { resetProtocols, resetProtocolsOnChain } from "../../../runtime/domains/community/install/reset-protocols.ts";
import { installationOf } from "../../../runtime/domains/community/install/statements.ts";
import { projectionIdOf } from "../../../runtime/domains/community/relations.ts";
import { migrations } from "../../../runtime/migrations.ts";
import type { TestDatabase } from "../../support/database.ts";

export const temporaryFolder = (): Promise<string> => mkdtemp(join(tmpdir(), "ashlar-backup-"));

const connectionTo = ({ url }: TestDatabase) => ({ url, applicationName: "ashlar-test" });

export const backUp = (testDatabase: TestDatabase, folder: string): Promise<Manifest> =>
  writeBackup({ connection: connectionTo(testDatabase), folder, jobs: 2, version: "0.0.0", now: () => new Date() });

export const restoreInto = (
  testDatabase: TestDatabase,
  folder: string,
  protocols: readonly Protocol[] = [],
  applied = migrations,
): Promise<RestoreResult> =>
  restoreBackup({
    connection: connectionTo(testDatabase),
    database: testDatabase.database,
    folder,
    jobs: 2,
    migrations: applied,
    protocols: protocols.map(installationOf),
    resetProtocols,
  });

/** Writes a snapshot of a chain, by default of `test`. */
export const takeSnapshot = (testDatabase: TestDatabase, folder: string, name = "test"): Promise<Manifest> =>
  writeBackup({
    connection: connectionTo(testDatabase),
    folder,
    jobs: 2,
    version: "0.0.0",
    now: () => new Date(),
    chain: { name, projectionOf: projectionIdOf },
  });

export interface SnapshotOptions
  extends Partial<Pick<RestoreChainOptions, "migrations" | "readsBack" | "onProgress" | "guard" | "onRestored">> {
  readonly chain?: Partial<ExpectedChain>;
  readonly protocols?: readonly Protocol[];
}

/** Adds a snapshot's chain, configured as `test` without an id, to a database. */
export const addSnapshot = (
  testDatabase: TestDatabase,
  folder: string,
  { chain = {}, protocols = [], ...options }: SnapshotOptions = {},
): Promise<ChainRestoreResult> =>
  restoreChain({
    connection: connectionTo(testDatabase),
    database: testDatabase.database,
    folder,
    jobs: 2,
    migrations,
    chain: { name: "test", id: null, genesisHash: null, ...chain },
    guard: async () => undefined,
    async installProtocol({ id, fingerprint }) {
      const installation = protocols.map(installationOf).find((other) => other.id === id && other.fingerprint === fingerprint);
      return installation !== undefined && installTables(testDatabase.database, installation);
    },
    resetProtocols: resetProtocolsOnChain,
    onRestored: async () => undefined,
    ...options,
  });

/** Hashes each table's sorted rows, except tables that differ between databases and the time the indexer last saw its node. */
export async function contentsOf(database: Pick<Queryable, "query">): Promise<Record<string, string>> {
  const tables = await database.query<{ name: string }>(
    `SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public'
       AND tablename NOT IN ('ashlar_migrations', 'ashlar_migrations_lock', 'community_reader')`,
  );
  const hashes: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await database.query<{ hash: string }>(
      `SELECT count(*) || ' ' || coalesce(md5(string_agg(row, E'\\n' ORDER BY row COLLATE "C")), '') AS hash
       FROM (SELECT (to_jsonb(t) - 'seen_at')::text AS row FROM ${name} t) rows`,
    );
    hashes[name] = row?.hash ?? "";
  }
  return hashes;
}

/** The definitions of all indexes, constraints, triggers, views and functions in the schema. */
export const schemaOf = (database: Pick<Queryable, "query">): Promise<{ item: string }[]> =>
  database.query(
    `SELECT indexdef AS item FROM pg_indexes WHERE schemaname = 'public'
     UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
     UNION ALL SELECT tgrelid::regclass || ' ' || tgenabled::text || ' ' || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
     UNION ALL SELECT schemaname || '.' || viewname || ' ' || definition FROM pg_views WHERE schemaname = 'api' OR schemaname LIKE 'cq%'
     UNION ALL SELECT oid::regprocedure || ' ' || prosrc FROM pg_proc WHERE pronamespace IN (SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_|^information')
     ORDER BY item`,
  );
