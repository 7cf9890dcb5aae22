import type { Session } from "../database/session.ts";
import { columnList, identifier, type Sql, sql } from "../database/sql.ts";

/** A table, and the columns that are copied. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string }[];
}

const columnsOf = ({ columns }: Pick<CopiedTable, "columns">): Sql => columnList(columns.map(({ name }) => name));
const target = (table: CopiedTable): Sql => sql`${identifier(`public.${table.name}`)} (${columnsOf(table)})`;

/** The statement that writes all rows in storage order, in the text format, which is the same in all PostgreSQL versions. */
export const copyToStatement = (table: CopiedTable): Sql => sql`COPY ${target(table)} TO STDOUT WITH (ENCODING 'UTF8')`;

/** The statement that writes the rows of one chain. */
export const copyChainToStatement = (table: CopiedTable, chainId: number): Sql =>
  sql`COPY (SELECT ${columnsOf(table)} FROM ${identifier(`public.${table.name}`)} WHERE chain_id = ${chainId}) TO STDOUT WITH (ENCODING 'UTF8')`;

/** The statement that reads rows into a table that was truncated in the same transaction; FREEZE avoids rewriting them during a later vacuum. */
export const copyFromFreezeStatement = (table: CopiedTable): Sql => sql`COPY ${target(table)} FROM STDIN WITH (ENCODING 'UTF8', FREEZE)`;

/** The statement that reads rows into a table that has other rows, or into a temporary table. */
export const copyFromStatement = (table: CopiedTable, into: Sql = identifier(`public.${table.name}`)): Sql =>
  sql`COPY ${into} (${columnsOf(table)}) FROM STDIN WITH (ENCODING 'UTF8')`;

/**
 * Makes the text of values independent of server and role settings, and reads rows in storage order. A table that is restored from a file has the
 * same order, so its rows have the same hash.
 */
export const setTextFormats = async (session: Session): Promise<void> => {
  await session.query(
    `SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'postgres'; SET LOCAL TimeZone = 'UTC'; SET LOCAL extra_float_digits = 3;
     SET LOCAL bytea_output = 'hex'; SET LOCAL xmloption = 'content'; SET LOCAL synchronize_seqscans = off; SET LOCAL max_parallel_workers_per_gather = 0`,
  );
};
