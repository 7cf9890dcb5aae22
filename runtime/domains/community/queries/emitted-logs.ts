import { bytesArray } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { identifier, sql } from "../../../database/sql.ts";
import type { Protocol } from "../../../declarations/protocol.ts";
import type { Address, Hash } from "../../../lib/hex.ts";
import type { FirstBlocks, FixedContracts } from "../contracts-on-chain.ts";
import { tableOf } from "../relations.ts";

/** Logs emitted by contracts of a kind, by first topic and number of indexed parameters; the most frequent first. */
export interface EmittedLogs {
  readonly kind: string;
  readonly contractCount: number;
  /** Whether there may be more contracts or logs than were counted. */
  readonly isSample: boolean;
  readonly topics: readonly EmittedTopic[];
}

export interface EmittedTopic {
  /** Null for anonymous events without topics. */
  readonly topic0: Hash | null;
  readonly indexed: number;
  readonly logs: number;
  /** The number of these logs before their contract's first block. */
  readonly early: number;
}

/** Skipped logs, by table and reason. */
interface SkippedLogs {
  readonly table: string;
  readonly reason: string;
  readonly logs: number;
}

/** The stored logs of a protocol: logs that its contracts emitted, and logs that could not be decoded. */
export interface ProtocolLogs {
  readonly emitted: readonly EmittedLogs[];
  readonly skipped: readonly SkippedLogs[];
}

const maxContracts = 100;
const maxLogsOfContract = 10_000;
const maxReasons = 10;

/** The stored logs of a protocol's contracts by kind, and the skipped logs. Counts logs, so it is for commands, not for requests. */
export async function protocolLogs(
  database: Pick<Queryable, "query">,
  chainId: number,
  protocol: Protocol,
  fixed: FixedContracts,
): Promise<ProtocolLogs> {
  const emitted: EmittedLogs[] = [];
  for (const kind of Object.keys(protocol.contracts)) {
    const contracts = await contractsOf(database, chainId, { id: protocol.id, kind, fixed: fixed.get(kind) ?? new Map() });
    const { topics, isLimited } = await topicsOf(database, chainId, contracts);
    emitted.push({ kind, contractCount: contracts.size, isSample: contracts.size >= maxContracts || isLimited, topics });
  }
  return { emitted, skipped: await skippedLogs(database, chainId, protocol.id) };
}

const skippedLogs = ({ query }: Pick<Queryable, "query">, chainId: number, protocol: string): Promise<SkippedLogs[]> =>
  query<SkippedLogs>(
    sql`SELECT table_name AS "table", reason, count(*) AS logs FROM ${identifier(tableOf(protocol, "skipped"))} WHERE chain_id = $1
     GROUP BY table_name, reason ORDER BY logs DESC, table_name, reason LIMIT ${maxReasons}`,
    [chainId],
  );

/** Contracts of a kind with their first blocks: contracts at fixed addresses, then the newest others, with a limit. */
const contractsOf = async (
  { query }: Pick<Queryable, "query">,
  chainId: number,
  { id, kind, fixed }: { readonly id: string; readonly kind: string; readonly fixed: FirstBlocks },
): Promise<ReadonlyMap<Address, number>> => {
  const stored = await query<{ address: Address; block_number: number }>(
    sql`SELECT address, block_number FROM ${identifier(tableOf(id, "contracts"))} WHERE chain_id = $1 AND kind = $2
     ORDER BY block_number DESC LIMIT ${maxContracts}`,
    [chainId, kind],
  );
  const starts = [...fixed].map(([address, from]) => [address, from ?? 0] as const);
  // A fixed contract keeps its own first block and counts once, even if it is also stored.
  const others = stored.filter(({ address }) => !fixed.has(address)).map((row) => [row.address, row.block_number] as const);
  return new Map([...starts, ...others].slice(0, maxContracts));
};

/** The newest logs of each contract by topic, and whether a contract reached the limit. Served by logs_address. */
const topicsOf = async (
  { query }: Pick<Queryable, "query">,
  chainId: number,
  contracts: ReadonlyMap<Address, number>,
): Promise<{ readonly topics: EmittedTopic[]; readonly isLimited: boolean }> => {
  const rows = await query<EmittedTopic & { readonly limited: boolean }>(
    sql`WITH counted AS MATERIALIZED (
       SELECT c.address, topic0, indexed, count(*) AS logs, count(*) FILTER (WHERE block_number < c.first_block) AS early
       FROM unnest($2::bytea[], $3::int8[]) AS c(address, first_block) CROSS JOIN LATERAL (
         SELECT topic0, num_nonnulls(topic1, topic2, topic3) AS indexed, block_number FROM logs WHERE chain_id = $1 AND logs.address = c.address
         ORDER BY block_number DESC, log_index DESC LIMIT ${maxLogsOfContract}) l
       GROUP BY c.address, topic0, indexed)
     SELECT topic0, indexed, sum(logs)::int8 AS logs, sum(early)::int8 AS early,
       EXISTS (SELECT FROM counted GROUP BY address HAVING sum(logs) >= ${maxLogsOfContract}) AS limited
     FROM counted GROUP BY topic0, indexed ORDER BY logs DESC, topic0, indexed`,
    [chainId, bytesArray(contracts.keys()), [...contracts.values()]],
  );
  return { topics: rows.map(({ limited: _, ...topic }) => topic), isLimited: rows.some(({ limited }) => limited) };
};
