import type { Session } from "../database/session.ts";
import { BackupError } from "./backup-error.ts";
import type { Manifest, SnapshotManifest } from "./manifest.ts";

/** The chain of a new snapshot. */
export interface SnapshotChain {
  /** Its name in the index. */
  readonly name: string;
  /** The projection id of a declared protocol. */
  projectionOf(protocolId: string): string;
}

interface ChainRow {
  readonly chain: SnapshotManifest["chain"];
  readonly state: "removed" | "restored" | null;
}

/** Describes a snapshot's chain. @throws {BackupError} if it is not completely in the index. */
export async function describeChain(session: Pick<Session, "query">, name: string): Promise<SnapshotManifest["chain"]> {
  const [table] = await session.query<{ exists: boolean }>("SELECT to_regclass('chain_restores') IS NOT NULL AS exists");
  if (table?.exists !== true)
    throw new BackupError("The database schema is older than this program: run ashlar migrate before taking a snapshot.");
  const [row] = await session.query<ChainRow>(
    `SELECT json_build_object('id', chain_id, 'name', name, 'genesisHash', '0x' || encode(genesis_hash, 'hex'), 'from', indexed_from, 'head', coalesce(
         (SELECT max(number) FROM blocks b WHERE b.chain_id = c.chain_id), (SELECT max(number) FROM bitcoin_blocks b WHERE b.chain_id = c.chain_id))) AS chain,
       CASE WHEN removal_started_at IS NOT NULL THEN 'removed' WHEN EXISTS (SELECT 1 FROM chain_restores r WHERE r.chain_id = c.chain_id) THEN 'restored' END AS state
     FROM chains c WHERE name = $1`,
    [name],
  );
  if (row === undefined) {
    const chains = await session.query<{ name: string }>("SELECT name FROM chains ORDER BY chain_id");
    const names = chains.map((chain) => chain.name).join(", ");
    throw new BackupError(`Invalid value "${name}" for the chain: expected an indexed chain (${names || "there is none"}).`);
  }
  if (row.state !== null) throw new BackupError(`Chain ${name} is being ${row.state}: nothing to take a snapshot of.`);
  return row.chain;
}

/** The protocols that are indexed on a chain. */
export async function protocolsOnChain(
  session: Pick<Session, "query">,
  chainId: number,
  protocols: Manifest["protocols"],
  { projectionOf }: SnapshotChain,
): Promise<Manifest["protocols"]> {
  const rows = await session.query<{ projection: string }>("SELECT projection FROM projection_checkpoints WHERE chain_id = $1", [chainId]);
  const projections = new Set(rows.map(({ projection }) => projection));
  return protocols.filter(({ id }) => projections.has(projectionOf(id)));
}
