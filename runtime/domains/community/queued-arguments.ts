import { identifier, joinSql, nothing, type Sql, sql } from "../../database/sql.ts";
import type { ColumnType, ContractRead, VaryingArgument } from "../../declarations/protocol.ts";
import type { Row } from "../../indexer/projection.ts";
import type { Address } from "../../lib/hex.ts";
import { varyingArguments } from "./relations.ts";

/** An argument with values read from a column. */
export type ColumnArgument = Extract<VaryingArgument, { readonly column: string }>;

/** A read's arguments that are column values, in parameter order. */
export const columnArguments = (read: ContractRead): ColumnArgument[] =>
  varyingArguments(read).flatMap((argument) => ("column" in argument ? [argument] : []));

/** The values of these arguments in the queue's format: comma-separated literals. */
export const queuedArguments = (read: ContractRead): ((row: Row) => string) => {
  const columns = columnArguments(read).map(({ column }) => column);
  return columns.length === 0 ? () => "" : (row) => columns.map((column) => String(row[column])).join();
};

/** The contract that an event's row touches, if the read names its column. Longer values start with the address. */
export const touchedContract = ({ contractColumn }: ContractRead, row: Row): Address | null => {
  const value = contractColumn === null ? undefined : row[contractColumn];
  return typeof value === "string" ? (value.slice(0, addressLength) as Address) : null;
};

/** 0x followed by 40 hex digits. */
const addressLength = 42;

/** A SQL expression for the arguments of a read's result, in the queue's format. */
export const resultArguments = (read: ContractRead, alias: string): Sql => {
  const parts = columnArguments(read).map(({ name, type }) => {
    const column = identifier(`${alias}.${name}`);
    return isBytes(type) ? sql`'0x' || encode(${column}, 'hex')` : sql`${column}::text`;
  });
  return parts.length === 0 ? sql`''` : joinSql(parts, sql` || ',' || `);
};

/** An additional condition: results of a read (`alias`) have the arguments of a queued read (`queued`). Served by the primary key. */
export const hasSameArguments = (read: ContractRead, alias: string, queued: string): Sql => {
  const parts = columnArguments(read).map(({ name, type }, position) => {
    const text = sql`split_part(${identifier(`${queued}.arguments`)}, ',', ${position + 1})`;
    const value = isBytes(type) ? sql`decode(substr(${text}, 3), 'hex')` : sql`${text}::${type === "bool" ? sql`bool` : sql`numeric`}`;
    return sql` AND ${identifier(`${alias}.${name}`)} = ${value}`;
  });
  return joinSql(parts, nothing);
};

const isBytes = (type: ColumnType): boolean => type === "address" || type === "bytes";
