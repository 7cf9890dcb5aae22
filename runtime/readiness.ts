import { type AnyChainConfig, isBitcoinChain } from "./config/config.ts";
import type { Database } from "./database/database.ts";
import { DatabaseUnavailable } from "./database/errors.ts";
import { schemaProblem } from "./database/schema-state.ts";
import type { BitcoinQueries } from "./domains/bitcoin/queries.ts";
import type { ChainQueries } from "./domains/chains/queries/index.ts";
import type { HeartbeatRow } from "./domains/chains/queries/status.ts";
import type { LedgerQueries } from "./domains/ledger/queries/index.ts";
import type { Readiness } from "./http/health.ts";
import { redactMessage } from "./http/redact.ts";
import { migrations } from "./migrations.ts";

/** The queries that readiness reads. */
export interface ReadinessQueries {
  readonly ledger: Pick<LedgerQueries, "chains" | "head">;
  readonly bitcoin: Pick<BitcoinQueries, "head">;
  readonly network: Pick<ChainQueries, "nodes" | "heartbeats">;
}

export interface ReadinessOptions {
  readonly now: () => Date;
  /** An indexer that has made no progress for this time counts as stopped; 0 for no limit. */
  readonly maxSilentSeconds: number;
}

/** How far a chain is indexed. */
export interface ChainState {
  readonly name: string;
  readonly indexed_block: number | null;
  readonly latest_block: number | null;
  readonly blocks_behind: number | null;
  readonly seconds_behind: number | null;
  readonly paused_since: string | null;
}

/** A database's state: why it cannot be used, or why its chains are not ready, and how far they are indexed. */
export type DatabaseState = { readonly problem: string } | { readonly reasons: readonly string[]; readonly chains: readonly ChainState[] };

/** The state when a database does not respond. */
export const problemOf = (error: unknown): { readonly problem: string } => ({
  problem: error instanceof DatabaseUnavailable ? error.summary : "The database does not respond",
});

/**
 * A server is ready if the database is reachable and migrated, and the first backfill of each chain is complete and its indexer not stopped, unless an operator
 * has paused it. The details report how far each chain is behind its node.
 */
export const readinessOf = (state: DatabaseState, database = "up"): Readiness =>
  "problem" in state ? { reasons: [state.problem], details: {} } : { reasons: state.reasons, details: { database, chains: state.chains } };

/** Reads the state of a database and its chains. @throws the database's error if it does not respond */
export async function inspectDatabase(
  chains: readonly AnyChainConfig[],
  { ledger, bitcoin, network }: ReadinessQueries,
  database: Database,
  { now, maxSilentSeconds }: ReadinessOptions,
): Promise<DatabaseState> {
  const problem = await schemaProblem(database, migrations);
  if (problem !== null) return { problem };
  const rows = new Map((await ledger.chains()).map((row) => [row.chain_id, row]));
  const nodes = new Map((await network.nodes()).map((row) => [row.chain_id, row]));
  const pausedAt = (id: number): Date | null => nodes.get(id)?.paused_at ?? null;
  const states = await Promise.all(
    chains.map(async (chain) => {
      const row = rows.get(chain.id);
      const head = await (isBitcoinChain(chain) ? bitcoin : ledger).head(chain.id);
      const latest = row?.latest_block ?? null;
      return {
        isBackfilled: row?.backfilled_at !== null && row?.backfilled_at !== undefined,
        name: chain.name,
        indexed_block: head?.number ?? null,
        latest_block: latest,
        blocks_behind: head === null || latest === null ? null : Math.max(0, latest - head.number),
        seconds_behind: head === null ? null : Math.max(0, Math.floor(now().getTime() / 1000) - head.timestamp),
        paused_since: pausedAt(chain.id)?.toISOString() ?? null,
      };
    }),
  );
  const building = chains.flatMap(({ id, name }) =>
    (nodes.get(id)?.building ?? []).map((projection) => `Projection ${projection} of ${name} is being built from the stored ledger`),
  );
  const backfilling = states.filter((state) => !state.isBackfilled).map((state) => `First backfill of ${state.name} is incomplete`);
  const heartbeats = new Map((await network.heartbeats()).map((row) => [row.chain_id, row]));
  const stopped = chains.flatMap(({ id, name }) =>
    pausedAt(id) === null ? (indexerProblem(name, heartbeats.get(id), maxSilentSeconds) ?? []) : [],
  );
  return { reasons: [...backfilling, ...building, ...stopped], chains: states.map(({ isBackfilled: _, ...state }) => state) };
}

/** A leader reports at least this often. While it does, failures in processes that wait to become the leader are ignored. */
const maxLeaderSilenceSeconds = 15;

/** Why a chain is not being indexed; null if it is, or if nothing is known about its indexer. */
export function indexerProblem(name: string, heartbeat: HeartbeatRow | undefined, maxSilentSeconds: number): string | null {
  if (heartbeat === undefined) return null;
  const { silent_seconds: silence, failure, is_stopped: isStopped } = heartbeat;
  if (silence !== null && silence < maxLeaderSilenceSeconds) return null;
  const reason = failure === null ? null : redactMessage(failure);
  if (isStopped) return `Indexer of ${name} stopped: ${reason ?? "unknown reason"}`;
  if (maxSilentSeconds === 0 || silence === null || silence <= maxSilentSeconds) return null;
  return `Indexer of ${name} stopped: ${reason ?? "it does not report"} (no progress for ${Math.floor(silence)} s)`;
}
