import type pg from "pg";
import { type Sql, statementName } from "./sql.ts";

/**
 * A pool's named prepared statements. A name is lost if a pooler assigns transactions to different server connections (pgbouncer 1.18 in transaction mode:
 * SQLSTATE 26000 and 42P05), and its plan is lost if another process runs a migration that changes the returned columns (0A000). From then on, the statement
 * is sent unnamed.
 */
export interface PreparedStatements {
  /** The driver's configuration: composed SQL has a name, other text has none. */
  configOf(sql: PreparableSql, values?: readonly unknown[]): pg.QueryConfig;
  /** The same for statements outside of transactions, which can be sent again: text with parameters has a name too. Other text may be several statements. */
  repeatableConfigOf(sql: PreparableSql, values?: readonly unknown[]): pg.QueryConfig;
  /** Sends a statement, and sends it again unnamed if its name is lost. */
  sendWithRetry<T>(config: pg.QueryConfig, send: (config: pg.QueryConfig) => Promise<T>): Promise<T>;
  /** The same inside a transaction, without sending the statement again, because the error has aborted the transaction. */
  sendInTransaction<T>(config: pg.QueryConfig, send: (config: pg.QueryConfig) => Promise<T>): Promise<T>;
}

/** A fixed statement's text, composed SQL, or a statement with its name. */
type PreparableSql = string | Sql | { readonly name: string | undefined; readonly text: string };

/** Error codes of PostgreSQL, appendix A: invalid_sql_statement_name, duplicate_prepared_statement, feature_not_supported. */
const lostName = new Set(["26000", "42P05"]);
const unsupported = "0A000";

export function createPreparedStatements(): PreparedStatements {
  const unnamed = new Set<string>();
  const noteLost = ({ name }: pg.QueryConfig, error: unknown): void => {
    if (name !== undefined && isLost(error)) unnamed.add(name);
  };
  const toConfig = (name: string | undefined, text: string, values: readonly unknown[] | undefined): pg.QueryConfig => {
    const config: pg.QueryConfig = values === undefined ? { text } : { text, values: values as unknown[] };
    return name === undefined || unnamed.has(name) ? config : { ...config, name };
  };
  const configOf: PreparedStatements["configOf"] = (sql, values) =>
    typeof sql === "string"
      ? toConfig(undefined, sql, values)
      : toConfig("name" in sql ? sql.name : statementName(sql.text), sql.text, values);
  return {
    configOf,
    repeatableConfigOf: (sql, values) =>
      typeof sql === "string" && values !== undefined ? toConfig(statementName(sql), sql, values) : configOf(sql, values),
    sendInTransaction: (config, send) =>
      send(config).catch((error: unknown) => {
        noteLost(config, error);
        throw error;
      }),
    sendWithRetry: (config, send) =>
      send(config).catch((error: unknown) => {
        noteLost(config, error);
        const { name, ...rest } = config;
        if (name === undefined || !unnamed.has(name)) throw error;
        return send(rest);
      }),
  };
}

function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return typeof code === "string" && (lostName.has(code) || (code === unsupported && error.message.startsWith("cached plan")));
}
