import { scanTokens } from "./sql/parser.ts";

/**
 * PostgreSQL truncates names longer than 63 bytes (manual, "Identifiers and Key Words"). `cq_<id>_<table>_periods`, the longest derived name, has at most
 * 3 + 20 + 1 + 30 + 8 bytes.
 */
export const idPattern = /^[a-z][a-z0-9_]{0,19}$/;
export const namePattern = /^[a-z][a-z0-9_]{0,29}$/;

/** A SQL file beside the declaration, or in a sibling folder; it cannot be outside the protocols directory. */
export const queryFilePattern = /^(?:\.\.\/[a-z][a-z0-9_]*\/)?[a-z][a-z0-9_]*\.sql$/;

/** Columns that every table and read of a protocol has. */
const commonColumns = ["chain_id", "contract", "block_number", "transaction_index", "log_index"] as const;

/** Columns of newest-row tables and their period tables. */
const periodColumns = ["since_block", "from_block", "to_block"];

/** Tables that every protocol has. */
const commonTables = ["contracts", "skipped"] as const;

/** The names of a protocol's database tables. Two protocols' tables may collide: `a_b` of `x`, and `b` of `x_a`. */
export const databaseTableNames = ({ id, tables, reads }: NamedTables): string[] =>
  [
    ...commonTables,
    ...tables.flatMap(({ name, latestBy }) => (latestBy === null ? [name] : [name, `${name}_latest`, `${name}_periods`])),
    ...reads.flatMap(({ name, latest }) => (latest ? [name, `${name}_latest`] : [name])),
  ].map((name) => `cq_${id}_${name}`);

/** The function that returns a read's newest results as of a block. */
export const functionOfRead = (read: string): string => `${read}_at`;

interface NamedTables {
  readonly id: string;
  readonly tables: readonly { readonly name: string; readonly latestBy: readonly string[] | null }[];
  readonly reads: readonly { readonly name: string; readonly latest: boolean }[];
}

/** Why a column cannot have this name; null if it can. */
export function columnNameProblem(name: string): string | null {
  if ([...commonColumns, ...periodColumns].includes(name)) return "is a column that every table has";
  return keywordProblem(name);
}

/** Why a table or read cannot have this name; null if it can. */
export function tableNameProblem(name: string): string | null {
  if ((commonTables as readonly string[]).includes(name)) return "is a table that every protocol has";
  if (/_(latest|periods)$/.test(name)) return "has the suffix of a derived table, <table>_latest or <table>_periods";
  // PostgreSQL looks up unqualified names in its catalog first.
  if (name.startsWith("pg_")) return "starts with pg_, the prefix of PostgreSQL's catalog";
  return keywordProblem(name);
}

/** The problem with a keyword that must be quoted to be a name (PostgreSQL manual, appendix "SQL Key Words"); null for other names. */
function keywordProblem(name: string): string | null {
  const [token] = scanTokens(name);
  return token?.keyword === "reserved" || token?.keyword === "function" ? "is a reserved word of SQL" : null;
}

/** `assetAmount` -> `asset_amount`, `lpToken0` -> `lp_token0`. */
export function snakeCase(name: string): string {
  return name
    .replace(/^_+|_+$/g, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
}
