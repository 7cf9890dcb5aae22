import type { CallOutcome, Source } from "../../../chain/source.ts";
import type { Queryable } from "../../../database/database.ts";
import { columnList, identifier, sql } from "../../../database/sql.ts";
import type { Protocol } from "../../../declarations/protocol.ts";
import type { Row } from "../../../indexer/projection.ts";
import type { Compared } from "../../../lib/audit-row.ts";
import type { Address } from "../../../lib/hex.ts";
import { type DeclaredRead, declaredReads } from "../jobs/read-contracts/declared-reads.ts";
import { resultArguments } from "../queued-arguments.ts";
import { tableOf } from "../relations.ts";
import { cellText, compareRow } from "./compare-row.ts";
import type { Sampling } from "./sample-blocks.ts";

const maxConcurrentCalls = 8;

/**
 * Compares samples of a protocol's read results and newest results with calls to the contracts at the same blocks. A result is unknown if all its
 * columns are null.
 */
export const compareReads = async (
  database: Queryable,
  source: Pick<Source, "runCalls">,
  protocol: Protocol,
  sampling: Sampling,
): Promise<Compared[]> => {
  const reads = declaredReads([protocol]).flatMap((read) =>
    read.latestTable === null ? [read] : [read, { ...read, table: read.latestTable }],
  );
  const compared: Compared[] = [];
  for (const read of reads) {
    const rows = await sampleResults(database, read, { ...sampling, sampleSize: Math.ceil(sampling.sampleSize / reads.length) });
    for (let start = 0; start < rows.length; start += maxConcurrentCalls) {
      const portion = rows.slice(start, start + maxConcurrentCalls);
      compared.push(...(await Promise.all(portion.map((row) => compareResult(source, read, row)))));
    }
  }
  return compared;
};

/** A stored result, with its call's arguments in the queue's format. */
type Result = Row & { readonly contract: Address; readonly block_number: number; readonly queued: string };

/** A sample of results: the first ones in hash order. Scans the table once. */
const sampleResults = (
  database: Queryable,
  { definition, table }: DeclaredRead,
  { chainId, height, sampleSize }: Sampling,
): Promise<Result[]> =>
  database.query<Result>(
    sql`SELECT ${columnList(Object.keys(table.columns), "r")}, ${resultArguments(definition, "r")} AS queued FROM ${identifier(table.name)} r
     WHERE r.chain_id = $1 AND r.block_number <= $2 ORDER BY md5(r.contract || int8send(r.block_number)) LIMIT $3`,
    [chainId, height, sampleSize],
  );

const compareResult = async (source: Pick<Source, "runCalls">, read: DeclaredRead, row: Result): Promise<Compared> => {
  const { definition } = read;
  const view = read.table.name.slice(tableOf(read.protocol, "").length);
  const subject = `${view} of ${row.contract} at block ${row.block_number}`;
  const calls = read
    .callsOf(row.queued)
    .filter((call) => Object.entries(call.arguments).every(([name, value]) => cellText(row[name]) === cellText(value)));
  const [call] = calls;
  if (call === undefined) return { subject, index: "undeclared arguments", node: "none" };
  const [outcome] = await source.runCalls([{ to: row.contract, data: call.data }], row.block_number);
  const columns = definition.columns.map(({ name }) => name);
  if (!isKnown(outcome) || columns.every((column) => (row[column] ?? null) === null)) return { subject, index: null, node: null };
  return compareRow(subject, columns, row, read.columnsOf(outcome));
};

/** A revert is a result; a call that the node failed to execute is not. */
const isKnown = (outcome: CallOutcome | undefined): outcome is CallOutcome => outcome !== undefined && (outcome.ok || outcome.reverted);
