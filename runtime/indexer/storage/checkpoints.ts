import type { DatabaseClient, Queryable } from "../../database/database.ts";

/** The last block that a projection includes, and its version. */
export interface Checkpoint {
  readonly version: number;
  readonly block: number;
}

/** Another process moved a checkpoint that this one writes: two indexers are writing the index of one chain. */
export class CheckpointMovedError extends Error {
  override readonly name = "CheckpointMovedError";

  constructor(projection: string) {
    super(`Another process is writing the index of this chain: the checkpoint of ${projection} has moved.`);
  }
}

/** A chain's checkpoints by projection. */
export const readCheckpoints = async (database: Queryable, chainId: number): Promise<Map<string, Checkpoint>> => {
  const rows = await database.query<{ projection: string; version: number; block_number: number }>(
    "SELECT projection, version, block_number FROM projection_checkpoints WHERE chain_id = $1",
    [chainId],
  );
  return new Map(rows.map((row) => [row.projection, { version: row.version, block: row.block_number }]));
};

/** The projections that are switched off on a chain. Served by the primary key. */
export const readSwitchedOff = async (database: Queryable, chainId: number): Promise<ReadonlySet<string>> => {
  const rows = await database.query<{ projection: string }>(
    "SELECT projection FROM projection_checkpoints WHERE chain_id = $1 AND failure IS NOT NULL",
    [chainId],
  );
  return new Set(rows.map(({ projection }) => projection));
};

/** Sets the checkpoint of a new or rebuilt projection to `block`. */
export const resetCheckpoint = async (client: DatabaseClient, chainId: number, projection: string, version: number, block: number) => {
  await client.query(
    `INSERT INTO projection_checkpoints (chain_id, projection, version, block_number) VALUES ($1, $2, $3, $4)
     ON CONFLICT (chain_id, projection) DO UPDATE SET version = excluded.version, block_number = excluded.block_number, failure = NULL`,
    [chainId, projection, version, block],
  );
};

/** No projection has this version, so that one that was switched off is rebuilt when it is opened again. */
const switchedOffVersion = -1;

/** Records why a projection is switched off, at a block before the first indexed one. */
export const recordFailure = async (client: DatabaseClient, chainId: number, projection: string, reason: string, block: number) => {
  await client.query(
    `INSERT INTO projection_checkpoints (chain_id, projection, version, block_number, failure) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (chain_id, projection) DO UPDATE SET version = excluded.version, block_number = excluded.block_number, failure = excluded.failure`,
    [chainId, projection, switchedOffVersion, block, reason],
  );
};

/** Advances the checkpoints of projections from one block to another; the row locks exclude a second writer. @throws {CheckpointMovedError} */
export const advanceCheckpoints = async (
  client: DatabaseClient,
  chainId: number,
  projections: readonly { readonly id: string; readonly version: number }[],
  from: number,
  to: number,
): Promise<void> => {
  const moved = await client.query<{ projection: string }>(
    `UPDATE projection_checkpoints c SET block_number = $5 FROM unnest($2::text[], $3::int4[]) AS p(projection, version)
     WHERE c.chain_id = $1 AND c.projection = p.projection AND c.version = p.version AND c.block_number = $4 RETURNING c.projection`,
    [chainId, projections.map(({ id }) => id), projections.map(({ version }) => version), from, to],
  );
  const unmoved = projections.find(({ id }) => !moved.some(({ projection }) => projection === id));
  if (unmoved !== undefined) throw new CheckpointMovedError(unmoved.id);
};

/** Locks a chain's checkpoints for the transaction and returns them: every other writer waits, or has already committed. */
export const lockCheckpoints = async (client: DatabaseClient, chainId: number): Promise<Map<string, Checkpoint>> => {
  await client.query("SELECT 1 FROM projection_checkpoints WHERE chain_id = $1 ORDER BY projection FOR UPDATE", [chainId]);
  return readCheckpoints(client, chainId);
};
