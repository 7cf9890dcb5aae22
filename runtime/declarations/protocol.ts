import type { Address, Hash, Hex } from "../lib/hex.ts";

/**
 * A declared protocol after all checks: the content of `protocol.yaml` and its SQL files in plain JSON. The checker returns it, the generator writes
 * the built-in ones to `generated/community.gen.ts`, and the runtime derives tables, decoder, projection and endpoints from it.
 */
export interface Protocol {
  /** `protocol_01` to `protocol_10`, or the name of an operator's own protocol; part of table names. */
  readonly id: string;
  /** The default name in paths. */
  readonly name: string;
  readonly description: string;
  /** The kind of chain that it is on. A Bitcoin protocol has neither contracts nor tables, and is on all Bitcoin chains. */
  readonly chainKind: "evm" | "bitcoin";
  /** Raised by the author when the meaning of rows changes: the tables are rebuilt. */
  readonly version: number;
  /** By kind, as named in the declaration. */
  readonly contracts: Readonly<Record<string, DeclaredContract>>;
  readonly tables: readonly EventTable[];
  readonly reads: readonly ContractRead[];
  /** By operation, such as `market_data`. */
  readonly operations: Readonly<Record<string, OperationQuery>>;
  /** The lending events of a transaction; null if the protocol declares none. */
  readonly lending: LendingQuery | null;
}

/** Contracts of one kind: at fixed addresses, announced by another of the protocol's contracts, or listed by a read. */
export interface DeclaredContract {
  /** By chain name. */
  readonly networks: Readonly<Record<string, readonly DeployedContract[]>>;
  readonly discoveredBy: readonly Discovery[];
  readonly listedBy: readonly Listing[];
}

/** A read whose results are contract addresses. */
export interface Listing {
  readonly read: string;
  /** The result that is an address or a list of them. */
  readonly column: string;
}

export interface DeployedContract {
  readonly address: Address;
  /** The deployment block; events in earlier blocks are ignored. */
  readonly from: number;
}

/** An event of a registry or factory that announces a contract. */
export interface Discovery {
  /** The kind of contract that emits the event. */
  readonly contract: string;
  readonly event: EventSignature;
  /** The event parameter that contains the announced address. */
  readonly parameter: string;
}

export interface EventSignature {
  /** The human-readable ABI item without `event`, such as `Transfer(address indexed from, address indexed to, uint256 value)`. */
  readonly text: string;
  readonly name: string;
  readonly topic0: Hash;
  readonly parameters: readonly EventParameter[];
}

export interface EventParameter {
  readonly name: string;
  /** The canonical ABI type. */
  readonly type: string;
  readonly indexed: boolean;
}

/** The rows of one kind of event. In addition to its columns, a table has `contract`, `block_number`, `transaction_index` and `log_index`. */
export interface EventTable {
  readonly name: string;
  /** The kind of contract that emits the events. */
  readonly contract: string;
  /** Variants of the event: a column is null in rows of a variant that lacks its parameter. */
  readonly events: readonly EventSignature[];
  readonly columns: readonly Column[];
  /** Columns of additional indexes, each preceded by the chain and followed by block and log index. */
  readonly indexes: readonly (readonly string[])[];
  /** The key of the table `<name>_latest`, which has the newest row per key; null if there is none. */
  readonly latestBy: readonly string[] | null;
}

export interface Column {
  readonly name: string;
  /** The event parameter, by its name in the signature. */
  readonly parameter: string;
  readonly type: ColumnType;
}

/** PostgreSQL types: bytea, numeric(78,0), bool, text, and arrays of the first two. */
export type ColumnType = "address" | "bytes" | "uint256" | "int256" | "bool" | "text" | "address[]" | "bytes[]" | "uint256[]" | "int256[]";

/** A contract function whose results are stored by block: a row is valid until the block of the next row with the same contract and arguments. */
export interface ContractRead {
  readonly name: string;
  /** The kind of contract that is called. */
  readonly contract: string;
  readonly function: FunctionSignature;
  /** In the order of the parameters. */
  readonly arguments: readonly ReadArgument[];
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  /** Tables in which a new row triggers the read at that row's block. */
  readonly touchedBy: readonly string[];
  /**
   * The column of these tables with the contract to read: an address, or longer bytes that start with one. Null for the contract that emitted the
   * event.
   */
  readonly contractColumn: string | null;
  /** The interval, in blocks, at which the read is also due; null if it is not periodic. */
  readonly everyBlocks: number | null;
  /** Whether the table `<name>_latest` has the newest result per contract and arguments, and the function `<name>_at` returns them as of a block. */
  readonly latest: boolean;
}

/** The text of a decimal integer, an address, a boolean or bytes; or an argument that differs between calls. */
export type ReadArgument = string | VaryingArgument;

/**
 * An argument that differs between calls, and the result column that stores its value. The values are listed, or read from a column of the
 * tables that make the read due.
 */
export type VaryingArgument = { readonly name: string; readonly type: ColumnType } & (
  | { readonly column: string }
  | { readonly each: readonly string[] }
);

export interface FunctionSignature {
  /** The human-readable ABI item without `function`, such as `convertToAssets(uint256 shares) view returns (uint256 assets)`. */
  readonly text: string;
  readonly selector: Hex;
}

/** The parameters that SQL may use, as `:chain`. */
export const queryParameters = ["chain", "wallet", "pool", "as_of_block", "limit", "offset", "block", "transaction_index"] as const;
export type QueryParameter = (typeof queryParameters)[number];

/** A checked SELECT. */
export interface OperationQuery {
  /** The file, relative to the protocol's folder. */
  readonly file: string;
  /** The statement with `$1`, `$2` … in place of named parameters, and with the protocol's schema before its own table names. */
  readonly text: string;
  /** The parameters in the order of their numbers. */
  readonly parameters: readonly QueryParameter[];
  /** The columns, which are fields of the response's items. */
  readonly columns: readonly string[];
  /** The views in the schema `api` that it reads. */
  readonly views: readonly string[];
  /** Whether a connection plans it once, for all values of its parameters. */
  readonly isPlannedOnce?: true;
}

/** A checked SELECT that returns a row of `lendingColumns` for each lending event of a transaction. */
export interface LendingQuery extends OperationQuery {
  /** The name of the protocol in responses. */
  readonly label: string;
  /** The version for rows whose version is null; null if unknown. */
  readonly version: string | null;
  /** The protocol that it was forked from, and that protocol's version; null if it is not a fork. */
  readonly fork: string | null;
  readonly forkVersion: string | null;
}
