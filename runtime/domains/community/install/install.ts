import type { Database, DatabaseClient, Queryable } from "../../../database/database.ts";
import { grantSchema } from "../../../database/reader/grant-schema.ts";
import { identifier, joinSql, sql } from "../../../database/sql.ts";
import { attributeToProjection } from "../../../indexer/projection-error.ts";
import { recordContentChange } from "../../../indexer/storage/content-version.ts";
import { projectionIdOf, projectionPrefix, schemaOf } from "../relations.ts";
import {
  type IndexedProtocol,
  type InstalledProtocol,
  type InstallPlan,
  type InstallState,
  isEmptyPlan,
  planInstallation,
} from "./plan.ts";
import { queueTableNames } from "./reset-protocols.ts";
import type { Installation } from "./statements.ts";

export interface InstallDeps {
  readonly database: Database;
  readonly chainId: number;
  /** The ids of all declared protocols, including protocols not indexed on this chain. */
  readonly declared: ReadonlySet<string>;
  /** The protocols indexed on this chain. */
  readonly indexed: readonly IndexedProtocol[];
  /** Failed projections; their tables are left unchanged. */
  readonly switchedOff: ReadonlySet<string>;
  /** The role that runs the SQL of operations; if null, nothing is granted. */
  readonly readerRole: string | null;
  readonly logger: { info(message: string): void };
}

/** The advisory lock held while protocols are installed: "cq" in ASCII. */
const installLock = 0x6371;

/**
 * Updates declared protocols' tables to match the declarations. A chain's leader calls it before it opens the index. A protocol's
 * checkpoints on all chains are deleted with its tables, so that its projection catches up from the stored ledger; leaders of other chains detect that their
 * checkpoint has changed and reopen their index. Checkpoints are locked before tables, as in transactions that write batches.
 */
export const installProtocols = async (deps: InstallDeps, guard: (client: Queryable) => Promise<void>): Promise<void> => {
  const { database, declared } = deps;
  const indexed = deps.indexed.filter(({ installation: { id } }) => !deps.switchedOff.has(projectionIdOf(id)));
  if (isEmptyPlan(planInstallation(await readState(database, deps), declared, indexed))) return;
  await database.transaction(async (client) => {
    await client.query("SELECT pg_advisory_xact_lock($1)", [installLock]);
    const plan = planInstallation(await readState(client, deps), declared, indexed);
    const affected = [...plan.drop, ...plan.create].map(({ id }) => projectionIdOf(id));
    await client.query("DELETE FROM projection_checkpoints WHERE projection = ANY ($1)", [affected]);
    await client.query("DELETE FROM projection_checkpoints WHERE chain_id = $1 AND projection = ANY ($2)", [
      deps.chainId,
      plan.clear.map(({ id }) => projectionIdOf(id)),
    ]);
    await guard(client);
    await applyPlan(client, deps, plan);
    await recordContentChange(client, deps.chainId);
  });
};

/** Creates a protocol's tables, unless they are installed. Returns false if the installed ones differ. */
export const installTables = (database: Pick<Database, "transaction">, installation: Installation): Promise<boolean> =>
  database.transaction(async (client) => {
    await client.query("SELECT pg_advisory_xact_lock($1)", [installLock]);
    const [installed] = await client.query<{ fingerprint: string }>("SELECT fingerprint FROM community_protocols WHERE id = $1", [
      installation.id,
    ]);
    if (installed === undefined) await createProtocol(client, installation);
    return installed === undefined || installed.fingerprint === installation.fingerprint;
  });

const readState = async (client: Queryable, { chainId, indexed, switchedOff, readerRole }: InstallDeps): Promise<InstallState> => {
  const installed = await client.query<InstalledProtocol>("SELECT id, fingerprint, tables FROM community_protocols ORDER BY id");
  const checkpoints = await client.query<{ projection: string; version: number }>(
    "SELECT projection, version FROM projection_checkpoints WHERE chain_id = $1 AND starts_with(projection, $2)",
    [chainId, projectionPrefix],
  );
  const versions = new Map(
    checkpoints.filter(({ projection }) => !switchedOff.has(projection)).map(({ projection, version }) => [projection, version]),
  );
  const schemas = indexed.map(({ installation }) => installation.schema);
  return { installed, versions, withoutGrants: readerRole === null ? new Set() : await schemasWithoutGrants(client, readerRole, schemas) };
};

/** The schemas that the role cannot use: grants are lost when the role is dropped and recreated. */
const schemasWithoutGrants = async (client: Queryable, role: string, schemas: readonly string[]): Promise<Set<string>> => {
  const rows = await client.query<{ schema: string }>(
    "SELECT nspname AS schema FROM pg_namespace WHERE nspname = ANY ($1) AND NOT has_schema_privilege($2, oid, 'USAGE')",
    [schemas, role],
  );
  return new Set(rows.map(({ schema }) => schema));
};

const applyPlan = async (client: DatabaseClient, { chainId, readerRole, logger }: InstallDeps, plan: InstallPlan): Promise<void> => {
  for (const protocol of plan.drop) {
    await dropProtocol(client, protocol);
    if (!plan.create.some(({ id }) => id === protocol.id)) logger.info(`Removed the tables of protocol ${protocol.id}.`);
  }
  for (const installation of plan.create) {
    await createProtocol(client, installation);
    logger.info(`Created the tables of protocol ${installation.id}.`);
  }
  for (const { id, tables } of plan.clear) await deleteOfChain(client, chainId, id, tables);
  for (const { id, resultTables } of plan.readAgain) await deleteOfChain(client, chainId, id, resultTables);
  if (readerRole !== null) for (const { schema } of plan.grant) await grantSchema(client, schema, readerRole);
};

const dropProtocol = async (client: DatabaseClient, { id, tables }: InstalledProtocol): Promise<void> => {
  await client.query(sql`DROP SCHEMA IF EXISTS ${identifier(schemaOf(id))} CASCADE`);
  if (tables.length > 0) await client.query(sql`DROP TABLE IF EXISTS ${joinSql(tables.map(identifier))}`);
  for (const table of queueTableNames) await client.query(sql`DELETE FROM ${identifier(table)} WHERE protocol = $1`, [id]);
  await client.query("DELETE FROM community_protocols WHERE id = $1", [id]);
};

const createProtocol = async (client: DatabaseClient, { id, fingerprint, tables, statements }: Installation): Promise<void> => {
  try {
    await client.pipeline(statements);
  } catch (error) {
    throw attributeToProjection({ id: projectionIdOf(id), isIsolated: true }, error);
  }
  await client.query("INSERT INTO community_protocols (id, fingerprint, tables) VALUES ($1, $2, $3)", [id, fingerprint, tables]);
};

/** Deletes a chain's rows from a protocol's tables, and its queued reads. */
const deleteOfChain = async (client: DatabaseClient, chainId: number, id: string, tables: readonly string[]): Promise<void> => {
  for (const table of tables) await client.query(sql`DELETE FROM ${identifier(table)} WHERE chain_id = $1`, [chainId]);
  for (const table of queueTableNames)
    await client.query(sql`DELETE FROM ${identifier(table)} WHERE chain_id = $1 AND protocol = $2`, [chainId, id]);
};
