import { arrayLiteral } from "../database/array-literal.ts";
import type { CopyType, CopyValue } from "../database/copy.ts";
import type { Database, Queryable } from "../database/database.ts";
import { columnList, identifier, joinSql, type Sql, sql } from "../database/sql.ts";
import { type BackoffOptions, backoff } from "../lib/async.ts";

type Columns = Readonly<Record<string, CopyType>>;

/** A table of entries that workers claim for the duration of a lease and attempt until they succeed or are abandoned. */
export interface QueueDefinition {
  readonly table: string;
  /** Columns of the primary key after `chain_id`. */
  readonly key: Columns;
  /** Columns that change if an entry is queued again; its claim is then void. */
  readonly version: Columns;
  /** A claimed entry's additional columns. */
  readonly columns: readonly string[];
  /** Whether the column `problem` stores why the last attempt failed. */
  readonly storesProblem: boolean;
  /** The column that stores when a lease ends: its own column, or the time of the next attempt. */
  readonly leaseColumn: "leased_until" | "run_after";
  /** Waits between attempts, in milliseconds. */
  readonly backoff: BackoffOptions;
}

/** What one chain's queue depends on. */
export interface QueueDeps {
  readonly chainId: number;
  readonly database: Database;
  readonly clock: () => Date;
  readonly leaseMilliseconds: number;
}

/** A claimed entry. */
export interface QueueEntry {
  /** The number of attempts, including the one that the claim starts. */
  readonly attempts: number;
}

/** A claimed entry and an update's new values, in the order of their types. */
export interface EntryUpdate<Entry> {
  readonly entry: Entry;
  readonly values: readonly CopyValue[];
}

type ClockDeps = Pick<QueueDeps, "chainId" | "clock">;

/** One table's entries. All methods except `claim` ignore entries that have changed since they were claimed. */
export interface Queue<Entry extends QueueEntry> {
  /** The condition for entries that can be claimed; $2 is the time. */
  readonly isDue: Sql;
  /** Claims due entries that meet a condition, whose parameters start at $5; no two workers get the same entry. */
  claim(deps: QueueDeps, condition: Sql, limit: number, parameters: readonly unknown[]): Promise<Entry[]>;
  /** Ends the attempt with a temporary failure; the next one follows after the backoff. `problem` is the reason, for tables that store it. */
  postpone(client: Queryable, deps: ClockDeps, failed: readonly { readonly entry: Entry; readonly problem?: string }[]): Promise<void>;
  /** Ends the attempt as if it had not been started. */
  release(client: Queryable, deps: ClockDeps, entries: readonly Entry[]): Promise<void>;
  /** Sets columns from `value1`, `value2` …; the attempt continues unless they end the lease. */
  update(client: Queryable, chainId: number, set: Sql, types: readonly CopyType[], updates: readonly EntryUpdate<Entry>[]): Promise<void>;
  /** Deletes completed entries, and returns the keys of those that were still claimed. */
  remove(client: Queryable, chainId: number, entries: readonly Entry[]): Promise<Partial<Entry>[]>;
}

/** Creates a table's queue. Statements find entries by the primary key; a claim uses the index that serves its condition. */
export const createQueue = <Entry extends QueueEntry>({
  key,
  version,
  columns,
  storesProblem,
  leaseColumn,
  ...definition
}: QueueDefinition): Queue<Entry> => {
  const table = identifier(definition.table);
  const keys = Object.keys(key);
  const state: Columns = { ...key, ...version, attempts: "int4" };
  const hasLeaseColumn = leaseColumn === "leased_until";
  const isDue = hasLeaseColumn ? sql`run_after <= $2 AND (leased_until IS NULL OR leased_until <= $2)` : sql`run_after <= $2`;
  const endLease = hasLeaseColumn ? sql`, leased_until = NULL` : sql``;
  const isSameKey = sql`q.chain_id = $1 AND ${columnsEqual(keys)}`;
  const isClaimed = sql`${isSameKey} AND ${columnsNotDistinct([...Object.keys(version), "attempts"])}`;

  const update: Queue<Entry>["update"] = async (client, chainId, set, types, updates) => {
    if (updates.length === 0) return;
    const values = types.map((_, index) => identifier(`value${index + 1}`));
    const names = joinSql([columnList(Object.keys(state)), ...values]);
    await client.query(
      sql`UPDATE ${table} q SET ${set} FROM unnest(${arrayParameters([...Object.values(state), ...types])}) AS d(${names}) WHERE ${isClaimed}`,
      [
        chainId,
        ...stateArrays(
          state,
          updates.map(({ entry }) => entry),
        ),
        ...types.map((type, index) =>
          arrayLiteral(
            updates.map(({ values }) => values[index] ?? null),
            type,
          ),
        ),
      ],
    );
  };

  return {
    isDue,
    claim: ({ chainId, database, clock, leaseMilliseconds }, condition, limit, parameters) => {
      const now = clock();
      return database.query<Entry>(
        sql`UPDATE ${table} q SET ${identifier(leaseColumn)} = $3, attempts = attempts + 1 FROM (
         SELECT ${columnList(keys)} FROM ${table} WHERE chain_id = $1 AND ${condition} AND ${isDue} ORDER BY run_after LIMIT $4 FOR UPDATE SKIP LOCKED) d
       WHERE ${isSameKey} RETURNING ${columnList([...Object.keys(state), ...columns], "q")}`,
        [chainId, now, new Date(now.getTime() + leaseMilliseconds), limit, ...parameters],
      );
    },
    postpone: (client, { chainId, clock }, failed) => {
      const now = clock().getTime();
      const updates = failed.map(({ entry, problem }) => {
        const next = new Date(now + backoff(entry.attempts, definition.backoff)).toISOString();
        return { entry, values: storesProblem ? [next, problem ?? null] : [next] };
      });
      const problem = storesProblem ? sql`, problem = value2` : sql``;
      const types: CopyType[] = storesProblem ? ["text", "text"] : ["text"];
      return update(client, chainId, sql`run_after = value1::timestamptz${endLease}${problem}`, types, updates);
    },
    release: (client, { chainId, clock }, entries) => {
      const now = clock().toISOString();
      const set = sql`attempts = q.attempts - 1, ${hasLeaseColumn ? sql`leased_until = NULL` : sql`run_after = value1::timestamptz`}`;
      const updates = entries.map((entry) => ({ entry, values: hasLeaseColumn ? [] : [now] }));
      return update(client, chainId, set, hasLeaseColumn ? [] : ["text"], updates);
    },
    update,
    remove: async (client, chainId, entries) =>
      entries.length === 0
        ? []
        : client.query<Partial<Entry>>(
            sql`DELETE FROM ${table} q USING unnest(${arrayParameters(Object.values(state))}) AS d(${columnList(Object.keys(state))})
             WHERE ${isClaimed} RETURNING ${columnList(keys, "q")}`,
            [chainId, ...stateArrays(state, entries)],
          ),
  };
};

/** Counts one more failed attempt for rows in a table without retry times. Served by the primary key, which consists of `chain_id` and the `key` columns. */
export const incrementAttempts = async (
  client: Queryable,
  { table, key }: Pick<QueueDefinition, "table" | "key">,
  chainId: number,
  entries: readonly object[],
): Promise<void> => {
  if (entries.length === 0) return;
  const keys = Object.keys(key);
  await client.query(
    sql`UPDATE ${identifier(table)} q SET attempts = attempts + 1 FROM unnest(${arrayParameters(Object.values(key))}) AS d(${columnList(keys)})
     WHERE q.chain_id = $1 AND ${columnsEqual(keys)}`,
    [chainId, ...stateArrays(key, entries)],
  );
};

const and = sql` AND `;

const columnsEqual = (columns: readonly string[]): Sql =>
  joinSql(
    columns.map((column) => sql`${identifier(`q.${column}`)} = ${identifier(`d.${column}`)}`),
    and,
  );

/** Unlike equality, IS NOT DISTINCT FROM is not served by an index. */
const columnsNotDistinct = (columns: readonly string[]): Sql =>
  joinSql(
    columns.map((column) => sql`${identifier(`q.${column}`)} IS NOT DISTINCT FROM ${identifier(`d.${column}`)}`),
    and,
  );

/** Array parameters, numbered from $2. */
const arrayParameters = (types: readonly CopyType[]): Sql => joinSql(types.map((type, index) => sql`$${index + 2}::${identifier(type)}[]`));

const stateArrays = (columns: Columns, entries: readonly object[]): string[] =>
  Object.entries(columns).map(([column, type]) =>
    arrayLiteral(
      entries.map((entry) => (entry as Readonly<Record<string, CopyValue>>)[column] ?? null),
      type,
    ),
  );
