import { createHash } from "node:crypto";
import type { CopyType } from "../../../database/copy.ts";
import { columnList, identifier, joinSql, type Sql, sql } from "../../../database/sql.ts";
import { functionOfRead } from "../../../declarations/names.ts";
import type { Protocol } from "../../../declarations/protocol.ts";
import { allRelations, type ReadRelations, type Relation, relationsOf, schemaOf } from "../relations.ts";

/** The statements that create a protocol's tables and views, and the names of the created objects. */
export interface Installation {
  readonly id: string;
  readonly schema: string;
  readonly tables: readonly string[];
  /** The subset of `tables` that contains read results. */
  readonly resultTables: readonly string[];
  readonly statements: readonly Sql[];
  /** A hash of the statements: the tables are recreated when it changes. */
  readonly fingerprint: string;
}

/** What installing a protocol creates: its tables, and a schema with the views and functions through which its operations' SQL reads them. */
export const installationOf = (protocol: Protocol): Installation => {
  const protocolRelations = relationsOf(protocol);
  const relations = allRelations(protocolRelations);
  const schema = schemaOf(protocol.id);
  const statements = [
    ...relations.flatMap((relation) => [createTable(relation), ...relation.indexes.map((index) => createIndex(relation, index))]),
    sql`CREATE SCHEMA ${identifier(schema)}`,
    ...relations.map(({ view, table }) => sql`CREATE VIEW ${identifier(`${schema}.${view}`)} AS SELECT * FROM ${identifier(table.name)}`),
    ...protocolRelations.reads.flatMap((read) => createFunction(schema, read)),
  ];
  const fingerprint = createHash("sha256").update(statements.join("\n")).digest("hex");
  const nameOf = ({ table }: Relation): string => table.name;
  const resultTables = protocolRelations.reads.flatMap(({ results, latest }) => [results, latest ?? []].flat().map(nameOf));
  return { id: protocol.id, schema, tables: relations.map(nameOf), resultTables, statements, fingerprint };
};

/** Widths as in the other tables: a uint256 or int256 has at most 78 digits. */
const columnTypes: Readonly<Partial<Record<CopyType, Sql>>> = {
  bool: sql`boolean`,
  bytea: sql`bytea`,
  "bytea[]": sql`bytea[]`,
  int4: sql`int4`,
  int8: sql`int8`,
  numeric: sql`numeric(78,0)`,
  "numeric[]": sql`numeric(78,0)[]`,
  text: sql`text`,
};

const createTable = ({ table, primaryKey, notNullColumns }: Relation): Sql => {
  const columns = Object.entries(table.columns).map(([name, type]) => {
    const isRequired = primaryKey.includes(name) || notNullColumns.includes(name);
    return sql`${identifier(name)} ${columnTypes[type] ?? identifier(type)}${isRequired ? sql` NOT NULL` : sql``}`;
  });
  // Free space for updates in place, as in the other latest-value tables.
  const fillFactor = table.kind === "latest" && table.periodTable !== null ? sql` WITH (fillfactor = 85)` : sql``;
  return sql`CREATE TABLE ${identifier(table.name)} (chain_id int8 NOT NULL, ${joinSql(columns)},
    PRIMARY KEY (chain_id, ${columnList(primaryKey)}))${fillFactor}`;
};

/** PostgreSQL chooses the name of the index. */
const createIndex = ({ table }: Relation, columns: readonly string[]): Sql =>
  sql`CREATE INDEX ON ${identifier(table.name)} (chain_id, ${columnList(columns)})`;

/**
 * The function that returns the newest results as of a block: from the latest table if they are not newer than the block, otherwise from the history.
 * PostgreSQL inlines it, so a query can join it with many contracts. Parameters are unnamed, because a name could collide with a column.
 */
const createFunction = (schema: string, { definition, results, latest }: ReadRelations): Sql[] => {
  if (latest === null) return [];
  const { columns } = latest.table;
  const names = Object.keys(columns);
  const values = names.filter((name) => !latest.primaryKey.includes(name));
  const types = Object.entries(columns).map(([name, type]) => sql`${identifier(name)} ${columnTypes[type] ?? identifier(type)}`);
  const [newest, history] = [identifier(`${schema}.${latest.view}`), identifier(`${schema}.${results.view}`)];
  const isSameKey = joinSql(
    latest.primaryKey.map((name) => sql`h.${identifier(name)} = l.${identifier(name)}`),
    sql` AND `,
  );
  return [
    sql`CREATE FUNCTION ${identifier(`${schema}.${functionOfRead(definition.name)}`)} (int8, int8) RETURNS TABLE (${joinSql(types)})
    LANGUAGE sql STABLE AS $$
      SELECT ${columnList(names, "l")} FROM ${newest} l WHERE l.chain_id = $1 AND l.block_number <= $2
      UNION ALL
      SELECT ${columnList(latest.primaryKey, "l")}, ${columnList(values, "p")} FROM ${newest} l CROSS JOIN LATERAL (
        SELECT ${columnList(values, "h")} FROM ${history} h WHERE h.chain_id = l.chain_id AND ${isSameKey} AND h.block_number <= $2
        ORDER BY h.block_number DESC LIMIT 1) p
      WHERE l.chain_id = $1 AND l.block_number > $2
    $$`,
  ];
};
