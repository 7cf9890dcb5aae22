import type { ColumnType, ContractRead, EventTable, Protocol, VaryingArgument } from "../../declarations/protocol.ts";
import type { AppendTable, LatestTable, PeriodTable, QueueTable } from "../../indexer/projection.ts";

type CopyTypes = AppendTable["columns"];

/** The schema of a protocol's views, and its table prefix. */
export const schemaOf = (protocol: string): string => `cq_${protocol}`;

/** The table behind a view. */
export const tableOf = (protocol: string, view: string): string => `${schemaOf(protocol)}_${view}`;

/** The id of a protocol's projection. */
export const projectionIdOf = (protocol: string): `community:${string}` => `${projectionPrefix}${protocol}`;
export const projectionPrefix = "community:";

/** A protocol's table and its view in the protocol's schema. The chain precedes the columns of the primary key and of indexes. */
export interface Relation<Kind = AppendTable | LatestTable | PeriodTable> {
  readonly view: string;
  readonly table: Kind;
  readonly primaryKey: readonly string[];
  readonly indexes: readonly (readonly string[])[];
  /** Columns that are never null, besides the primary key. */
  readonly notNullColumns: readonly string[];
}

/** The rows of one kind of event, and the newest row per key. */
export interface EventRelations {
  readonly definition: EventTable;
  readonly rows: Relation<AppendTable>;
  readonly latest: { readonly current: Relation<LatestTable>; readonly periods: Relation<PeriodTable> } | null;
}

export interface ProtocolRelations {
  readonly contracts: Relation<AppendTable>;
  readonly events: readonly EventRelations[];
  readonly skipped: Relation<AppendTable>;
  readonly reads: readonly ReadRelations[];
}

/** A read's results, and the newest one per contract and arguments. */
export interface ReadRelations {
  readonly definition: ContractRead;
  readonly results: Relation<LatestTable>;
  readonly latest: Relation<LatestTable> | null;
}

/** The tables that a declaration describes. */
export const relationsOf = (protocol: Protocol): ProtocolRelations => ({
  contracts: contractsOf(protocol.id),
  events: protocol.tables.map((definition) => eventRelations(protocol.id, definition)),
  skipped: skippedOf(protocol.id),
  reads: protocol.reads.map((definition) => readRelations(protocol.id, definition)),
});

/** All tables of a protocol. */
export const allRelations = ({ contracts, events, skipped, reads }: ProtocolRelations): Relation[] => [
  contracts,
  ...events.flatMap(({ rows, latest }) => (latest === null ? [rows] : [rows, latest.current, latest.periods])),
  skipped,
  ...reads.flatMap(({ results, latest }) => (latest === null ? [results] : [results, latest])),
];

const columnTypes: Readonly<Record<ColumnType, CopyTypes[string]>> = {
  address: "bytea",
  bytes: "bytea",
  uint256: "numeric",
  int256: "numeric",
  bool: "bool",
  text: "text",
  "address[]": "bytea[]",
  "bytes[]": "bytea[]",
  "uint256[]": "numeric[]",
  "int256[]": "numeric[]",
};

const typesOf = (columns: readonly { readonly name: string; readonly type: ColumnType }[]): CopyTypes =>
  Object.fromEntries(columns.map(({ name, type }) => [name, columnTypes[type]]));

/** Contracts at fixed addresses, from their first block on, and announced contracts, with the `log_index` of the announcement. */
const contractsOf = (protocol: string): Relation<AppendTable> => ({
  view: "contracts",
  table: {
    kind: "append",
    name: tableOf(protocol, "contracts"),
    columns: { address: "bytea", kind: "text", block_number: "int8", log_index: "int4" },
  },
  primaryKey: ["address", "kind"],
  indexes: [["kind", "block_number"], ["block_number"]],
  notNullColumns: ["block_number"],
});

/** Logs that do not encode the event of their first topic. */
const skippedOf = (protocol: string): Relation<AppendTable> => ({
  view: "skipped",
  table: {
    kind: "append",
    name: tableOf(protocol, "skipped"),
    columns: { block_number: "int8", log_index: "int4", table_name: "text", reason: "text" },
  },
  primaryKey: ["block_number", "log_index", "table_name"],
  indexes: [],
  notNullColumns: ["reason"],
});

const position = { transaction_index: "int4", log_index: "int4" } as const;

const eventRelations = (protocol: string, definition: EventTable): EventRelations => {
  const { name, columns, indexes, latestBy } = definition;
  const valueTypes = typesOf(columns);
  const rows: Relation<AppendTable> = {
    view: name,
    table: {
      kind: "append",
      name: tableOf(protocol, name),
      columns: { contract: "bytea", block_number: "int8", ...position, ...valueTypes },
    },
    primaryKey: ["block_number", "log_index"],
    indexes: indexes.map((index) => [...index, "block_number", "log_index"]),
    notNullColumns: ["contract", "transaction_index"],
  };
  return {
    definition,
    rows,
    latest: latestBy === null ? null : latestRelations(protocol, name, latestBy, { contract: "bytea", ...valueTypes }),
  };
};

const latestRelations = (
  protocol: string,
  name: string,
  key: readonly string[],
  types: CopyTypes,
): NonNullable<EventRelations["latest"]> => {
  const keyTypes = Object.fromEntries(key.map((column) => [column, types[column] ?? "bytea"]));
  const values = { ...position, ...Object.fromEntries(Object.entries(types).filter(([column]) => !key.includes(column))) };
  const required = ["contract", "transaction_index", "log_index"].filter((column) => !key.includes(column));
  const periods = tableOf(protocol, `${name}_periods`);
  return {
    current: {
      view: `${name}_latest`,
      table: {
        kind: "latest",
        name: tableOf(protocol, `${name}_latest`),
        key,
        periodTable: periods,
        columns: { ...keyTypes, since_block: "int8", ...values },
      },
      primaryKey: key,
      indexes: [["since_block"]],
      notNullColumns: ["since_block", ...required],
    },
    periods: {
      view: `${name}_periods`,
      table: { kind: "periods", name: periods, columns: { ...keyTypes, from_block: "int8", to_block: "int8", ...values } },
      primaryKey: [...key, "from_block"],
      indexes: [],
      notNullColumns: ["to_block", ...required],
    },
  };
};

/** A read's arguments that differ between its calls. */
export const varyingArguments = ({ arguments: all }: ContractRead): VaryingArgument[] =>
  all.flatMap((argument) => (typeof argument === "string" ? [] : [argument]));

/**
 * A contract function's results by varying arguments and block, and the newest ones by arguments. A job writes them, so they are rolled back as
 * block-bound tables.
 */
const readRelations = (protocol: string, definition: ContractRead): ReadRelations => {
  const varying = varyingArguments(definition);
  const columns: CopyTypes = { contract: "bytea", ...typesOf(varying), block_number: "int8", ...typesOf(definition.columns) };
  const relation = (view: string, key: readonly string[], required: readonly string[]): Relation<LatestTable> => ({
    view,
    table: { kind: "latest", name: tableOf(protocol, view), key, periodTable: null, columns },
    primaryKey: key,
    indexes: [["block_number"]],
    notNullColumns: required,
  });
  const key = ["contract", ...varying.map(({ name }) => name)];
  return {
    definition,
    results: relation(definition.name, [...key, "block_number"], []),
    latest: definition.latest ? relation(`${definition.name}_latest`, key, ["block_number"]) : null,
  };
};

/**
 * Contracts and blocks at which any protocol's reads are due; `arguments` contains the argument values from columns. A rebuilt projection
 * queues its reads again.
 */
export const readsTable: QueueTable = {
  kind: "queue",
  name: "community_reads",
  key: ["protocol", "read_name", "contract", "arguments", "block_number"],
  columns: { protocol: "text", read_name: "text", contract: "bytea", arguments: "text", block_number: "int8", attempts: "int2" },
};

/** The blocks for which periodic reads have been queued. */
export const scheduleTableName = "community_read_schedule";
