import type { Database, Queryable } from "../database/database.ts";
import { BackupError } from "./backup-error.ts";
import type { SnapshotManifest } from "./manifest.ts";

interface IndexedChain {
  readonly name: string;
  readonly isRemoved: boolean;
  /** The manifest of the snapshot that it is being restored from. */
  readonly backup: string | null;
  readonly restored: string[] | null;
}

/**
 * Inserts the chain, paused, and records its restore, or returns the tables that an earlier restore of the same snapshot has completed.
 * @throws {BackupError} if the index already has the chain, or another chain with its name.
 */
export const beginChainRestore = (
  database: Database,
  { manifest, sha256 }: { readonly manifest: SnapshotManifest; readonly sha256: string },
  name: string,
  guard: (client: Pick<Queryable, "query">) => Promise<void>,
): Promise<readonly string[]> =>
  database.transaction(async (client) => {
    const { id, genesisHash, from } = manifest.chain;
    await guard(client);
    const [existing] = await client.query<IndexedChain>(
      `SELECT name, removal_started_at IS NOT NULL AS "isRemoved", backup, restored FROM chains LEFT JOIN chain_restores USING (chain_id) WHERE chain_id = $1`,
      [id],
    );
    if (existing !== undefined) return resume(existing, sha256);
    const [holder] = await client.query<{ id: number }>("SELECT chain_id AS id FROM chains WHERE name = $1", [name]);
    if (holder !== undefined)
      throw new BackupError(`The name ${name} belongs to chain ${holder.id} in this index: give chain ${id} another name in ashlar.yaml.`);
    await client.query(
      "INSERT INTO chains (chain_id, name, genesis_hash, indexed_from, paused_at) VALUES ($1, $2, decode(substr($3, 3), 'hex'), $4, now())",
      [id, name, genesisHash, from],
    );
    await client.query("INSERT INTO chain_restores (chain_id, backup) VALUES ($1, $2)", [id, sha256]);
    return [];
  });

function resume({ name, isRemoved, backup, restored }: IndexedChain, sha256: string): readonly string[] {
  if (isRemoved)
    throw new BackupError(`Chain ${name} is being removed: complete its removal from this database first (ashlar chains remove).`);
  if (backup === null)
    throw new BackupError(
      `Chain ${name} is already in the index: use another database, or remove it from this one (ashlar chains remove).`,
    );
  if (backup !== sha256)
    throw new BackupError(
      `Chain ${name} is partly restored from another snapshot: restore that one, or remove the chain from this database (ashlar chains remove).`,
    );
  return restored ?? [];
}
