import { BackupError } from "./backup-error.ts";
import type { TableSchema } from "./table-schema.ts";

/**
 * Tables with chain rows that no snapshot contains: content versions (numbered by a database sequence, and written again by triggers), indexer
 * heartbeats, anchors and requested tokens (which result from client requests), and restores.
 */
const excluded: ReadonlySet<string> = new Set([
  "chain_restores",
  "content_versions",
  "indexer_heartbeats",
  "page_anchors",
  "token_requests",
]);

/**
 * The tables of a snapshot: those with a column `chain_id`, which comes first, so that each line of their files begins with the id. Other tables
 * belong to the service: keys, credits, sessions, operator actions, installed protocols. @throws {BackupError} if a database sequence generates
 * a column's values: they would collide with those in another database.
 */
export function tablesOfChains(tables: readonly TableSchema[]): readonly TableSchema[] {
  return tables
    .filter(({ name, columns }) => !excluded.has(name) && columns.some((column) => column.name === chainColumn))
    .map((table) => {
      if (table.sequenceColumn !== null) throw new BackupError(`Table ${table.name} has a sequence, so a snapshot cannot contain it.`);
      const [first, others] = [table.columns.filter(isChainColumn), table.columns.filter((column) => !isChainColumn(column))];
      return { ...table, columns: [...first, ...others] };
    });
}

const chainColumn = "chain_id";
const isChainColumn = ({ name }: { readonly name: string }): boolean => name === chainColumn;
