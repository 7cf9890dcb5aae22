import { bytesArray } from "../../database/codecs.ts";
import type { Queryable } from "../../database/database.ts";
import type { Row } from "../../indexer/projection.ts";
import type { State } from "../../indexer/state/state.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { Address } from "../../lib/hex.ts";
import { type LogRecord, toLog } from "../ledger/block-records.ts";
import type { FixedContracts } from "./contracts-on-chain.ts";
import type { BlockWithLogs } from "./projection/candidates.ts";
import { contractsLoad, type DeclaredFold } from "./projection/declared-fold.ts";
import { foldEvents } from "./projection/fold.ts";

/** The range of stored logs to fold. */
export interface StoredRange {
  readonly chainId: number;
  /** The first and the last indexed block. */
  readonly from: number;
  readonly head: number;
  readonly maxLogs: number;
}

/** The rows of a protocol that follow from stored logs. */
export interface FoldedLogs {
  /** By table. */
  readonly rows: Readonly<Record<string, readonly Row[]>>;
  readonly logCount: number;
  /** Whether there are more logs than were read. */
  readonly hasMore: boolean;
}

/**
 * Folds the first stored logs of a protocol's contracts, without stored state. Repeats with the announced contracts until a round announces no new
 * ones.
 */
export async function foldStoredLogs(
  database: Pick<Queryable, "query">,
  fold: DeclaredFold,
  fixed: FixedContracts,
  range: StoredRange,
): Promise<FoldedLogs> {
  const starts = [...fixed.values()].flatMap((contracts) => [...contracts.values()].map((from) => Math.max(from ?? 0, range.from)));
  const addresses = new Set([...fixed.values()].flatMap((contracts) => [...contracts.keys()]));
  for (;;) {
    const logs = await storedLogs(database, fold, [...addresses], { chainId: range.chainId, limit: range.maxLogs + 1 });
    const page = logs.slice(0, range.maxLogs);
    const blocks = blocksOf(
      page,
      starts.filter((start) => start <= range.head),
    );
    const rows = foldEvents(fold, blocks, { state: { get: () => undefined }, chain: { from: range.from } });
    const countBefore = addresses.size;
    for (const { address } of rows[fold.relations.contracts.table.name] ?? []) addresses.add(String(address) as Address);
    if (addresses.size === countBefore) return { rows, logCount: page.length, hasMore: logs.length > range.maxLogs };
  }
}

/** Max logs per page. */
const pageSize = 20_000;

/** Folds all stored logs of a contract in pages: yields the rows of its events, as if it had been known from the first block on. */
export async function* foldLogsOf(
  database: Pick<Queryable, "query">,
  fold: DeclaredFold,
  { chainId, address, kind }: { readonly chainId: number; readonly address: Address; readonly kind: string },
  limit = pageSize,
): AsyncGenerator<Pick<FoldedLogs, "rows" | "logCount">> {
  const state: State = {
    get: (load, ...key) => (load === contractsLoad && key[0] === address && key[1] === kind ? { block_number: 0 } : undefined),
  };
  for (let after: LogPosition | null = beforeFirstLog; after !== null; ) {
    const logs: LogRecord[] = await storedLogs(database, fold, [address], { chainId, limit, after });
    yield { rows: foldEvents(fold, blocksOf(logs, []), { state, chain: { from: 0 } }), logCount: logs.length };
    after = logs.length < limit ? null : (logs.at(-1) ?? null);
  }
}

type LogPosition = Pick<LogRecord, "block_number" | "log_index">;
const beforeFirstLog: LogPosition = { block_number: -1, log_index: 0 };

/** The first logs of contracts with a declared topic, after a position. Served by logs_address. */
const storedLogs = (
  { query }: Pick<Queryable, "query">,
  { topics }: DeclaredFold,
  addresses: readonly Address[],
  { chainId, limit, after = beforeFirstLog }: { readonly chainId: number; readonly limit: number; readonly after?: LogPosition },
): Promise<LogRecord[]> =>
  query<LogRecord>(
    `SELECT block_number, log_index, transaction_index, address, topic0, topic1, topic2, topic3, data FROM logs
     WHERE chain_id = $1 AND address = ANY($2::bytea[]) AND topic0 = ANY($3::bytea[]) AND (block_number, log_index) > ($4, $5)
     ORDER BY block_number, log_index LIMIT $6`,
    [chainId, bytesArray(addresses), bytesArray(topics), after.block_number, after.log_index, limit],
  );

/** Blocks with logs, and first blocks of fixed contracts, ascending. */
const blocksOf = (logs: readonly LogRecord[], starts: readonly number[]): BlockWithLogs[] => {
  const byBlock = groupBy(logs, ({ block_number }) => block_number);
  const numbers = [...new Set([...byBlock.keys(), ...starts])].sort((left, right) => left - right);
  return numbers.map((number) => ({
    block: {
      number,
      transactions: [...groupBy(byBlock.get(number) ?? [], (log) => log.transaction_index)].map(([index, records]) => ({
        index,
        logs: records.map(toLog),
      })),
    },
  }));
};
